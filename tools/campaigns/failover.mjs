import { findPrograms, missingPrograms } from "../testing/programs.mjs";
import { simulationCampaign } from "./simulation.mjs";

const NEEDED = ["POSTGRES_PATH", "PATRONI_PATH", "ETCD_PATH", "HAPROXY_PATH", "OPENSSL_PATH"];

/** A cluster of Patroni loses its primary while customers buy. It needs programs that nothing else does. */
export async function campaign(options) {
  const programs = findPrograms([...NEEDED, "PGBOUNCER_PATH"]);
  if (process.platform !== "linux") {
    return {
      ran: 0,
      failures: ["the campaign runs on Linux only: it uses addresses of 127.0.0.0/8"],
    };
  }
  const failures = missingPrograms(programs.filter(({ variable }) => NEEDED.includes(variable)));
  if (failures.length > 0) return { ran: 0, failures };
  const found = programs.filter(({ path }) => path !== undefined);
  const variables = Object.fromEntries(found.map(({ variable, path }) => [variable, path]));
  return simulationCampaign("failover", ["failover"], { variables })(options);
}
