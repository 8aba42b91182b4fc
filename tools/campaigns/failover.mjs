import { findPrograms } from "../testing/programs.mjs";
import { simulationCampaign } from "./simulation.mjs";

const NEEDED = ["POSTGRES_PATH", "PATRONI_PATH", "ETCD_PATH", "HAPROXY_PATH", "OPENSSL_PATH"];

/** A cluster of Patroni loses its primary while customers buy. It needs programs that nothing else does. */
export async function campaign(options) {
  const programs = findPrograms([...NEEDED, "PGBOUNCER_PATH"]);
  const missing = programs.filter(({ path, variable }) => !path && NEEDED.includes(variable));
  if (process.platform !== "linux") {
    return {
      ran: 0,
      failures: ["the campaign runs on Linux only: it uses addresses of 127.0.0.0/8"],
    };
  }
  if (missing.length > 0) {
    return {
      ran: 0,
      failures: missing.map(
        ({ name, variable, debian }) =>
          `${name} WAS NOT FOUND, SO NOTHING WAS TESTED. Install it (Debian: apt-get install ${debian}), ` +
          `or name its path in ${variable}.`,
      ),
    };
  }
  const found = programs.filter(({ path }) => path !== undefined);
  const variables = Object.fromEntries(found.map(({ variable, path }) => [variable, path]));
  return simulationCampaign("failover", ["failover"], { variables })(options);
}
