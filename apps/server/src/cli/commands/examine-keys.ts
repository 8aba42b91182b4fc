import { existsSync } from "node:fs";
import type { Config } from "../../config.ts";
import { CLOCK_AHEAD_MS } from "../../flows/check-readiness.ts";
import { readKeyRing } from "../../secrets/key-ring.ts";
import { findKeyProblems } from "../../start/check-secret-keys.ts";
import { readConfigState } from "../../storage/catalogue/config-version.ts";
import { readKeyChecks } from "../../storage/key-checks.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { bad, type Finding, good } from "../finding.ts";

const KEYS_FIX = "Restore the secret keys file. The service refuses to start without it.";
const START_FIX = "Start the service once. It creates and migrates its database.";

export function examineSecretKeys({ environment, secretKeysFile }: Config): Finding {
  const check = "secret keys";
  if (!existsSync(secretKeysFile)) {
    if (environment === "dev") return good(check, "will be created at the first start");
    return bad(
      check,
      `${secretKeysFile} does not exist`,
      "Start the service: its error shows the command that creates the file.",
    );
  }
  try {
    const ring = readKeyRing(secretKeysFile);
    return good(check, `${ring.keys.size} in ${secretKeysFile}, current ${ring.current.id}`);
  } catch (error) {
    return bad(
      check,
      (error as Error).message,
      "Restore the file from its backup: sealed data cannot be opened without these keys.",
    );
  }
}

/** The file itself is examined before. Without a file there is nothing to compare. */
export async function examineKeyChecks(database: Database, config: Config): Promise<Finding> {
  const check = "secret keys of the database";
  try {
    const { valueOf } = await readKeyChecks(database);
    if (!existsSync(config.secretKeysFile)) return good(check, `${valueOf.size} were used`);
    const ring = readKeyRing(config.secretKeysFile);
    const problems = await findKeyProblems(database, ring, config.secretKeysFile);
    if (problems.length > 0) return bad(check, problems.join(" "), KEYS_FIX);
    return good(check, `${[...valueOf.keys()].join(", ") || "none"}, the same as in the file`);
  } catch (error) {
    return bad(check, (error as Error).message, START_FIX);
  }
}

export async function examineClock(database: Database): Promise<Finding> {
  try {
    const { clockAheadMs } = await readConfigState(database);
    const seconds = (Math.abs(clockAheadMs) / 1_000).toFixed(1);
    if (Math.abs(clockAheadMs) <= CLOCK_AHEAD_MS.reported) {
      return good("clock", "agrees with the database's");
    }
    const found = `${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} the database's`;
    return bad("clock", found, "Run a time service (NTP) on both machines.");
  } catch (error) {
    return bad("clock", (error as Error).message, START_FIX);
  }
}
