import { statSync } from "node:fs";
import type { Config } from "../../config.ts";
import { CLOCK_AHEAD_MS } from "../../flows/check-readiness.ts";
import { type KeyRing, readKeyRing } from "../../secrets/key-ring.ts";
import { isPrivateFile, privateFileWords } from "../../secrets/private-file.ts";
import { findKeyProblems } from "../../start/check-secret-keys.ts";
import { findMachineFault } from "../../start/machine-faults.ts";
import { readConfigState } from "../../storage/catalogue/config-version.ts";
import { readKeyChecks } from "../../storage/key-checks.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { bad, type Finding, good, unread } from "../finding.ts";

const KEYS_FIX = "Restore the secret keys file. The service refuses to start without it.";

export function examineSecretKeys({ environment, secretKeysFile: file }: Config): Finding {
  const check = "secret keys";
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      if (environment === "dev") return good(check, "will be created at the first start");
      const fix = "Start the service: its error shows the command that creates the file.";
      return bad(check, `${file} does not exist`, fix);
    }
    if (stats.isFile() && !isPrivateFile(stats)) {
      return bad(check, `${file} is not private`, privateFileWords(file));
    }
    const ring = readKeyRing(file);
    return good(check, `${ring.keys.size} in ${file}, current ${ring.current.id}`);
  } catch (error) {
    const { found, fix } = findMachineFault(error) ?? {
      found: (error as Error).message,
      fix: "Correct the file or restore its copy: sealed data cannot be opened without its keys.",
    };
    return bad(check, found, fix);
  }
}

/** The file itself is examined before, so a file that cannot be read is only named here. */
export async function examineKeyChecks(database: Database, config: Config): Promise<Finding> {
  const check = "secret keys of the database";
  try {
    const { valueOf } = await readKeyChecks(database);
    const used = [...valueOf.keys()].join(", ");
    const ring = readableRing(config.secretKeysFile);
    if (ring === undefined) {
      if (used === "") return good(check, "none");
      return bad(check, `${used}, and ${config.secretKeysFile} cannot be read`, KEYS_FIX);
    }
    const problems = await findKeyProblems(database, ring, config.secretKeysFile);
    if (problems.length > 0) return bad(check, problems.join(" "), KEYS_FIX);
    return good(check, `${used || "none"}, the same as in the file`);
  } catch (error) {
    return unread(check, error);
  }
}

function readableRing(file: string): KeyRing | undefined {
  try {
    return readKeyRing(file);
  } catch {
    return undefined;
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
    return unread("clock", error);
  }
}
