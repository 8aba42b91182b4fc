import { findPrograms, missingPrograms } from "../testing/programs.mjs";
import { simulationCampaign } from "./simulation.mjs";

/** The Debian package on a machine of its own, which systemd boots in namespaces of this one. */
export async function campaign(options) {
  const programs = findPrograms(["SYSTEMD_PATH"]);
  const failures = missingPrograms(programs);
  if (process.getuid?.() !== 0) {
    failures.push("the campaign needs root: it installs a package and boots systemd in namespaces");
  }
  if (failures.length > 0) return { ran: 0, failures };
  const variables = Object.fromEntries(programs.map(({ variable, path }) => [variable, path]));
  return simulationCampaign("systemd", ["systemd"], { variables })(options);
}
