import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import { ensureKeyFile, type KeyRing, readKeyRing } from "../secrets/key-ring.ts";
import { makeDataFolder } from "../storage/embedded/folders.ts";
import { StartError } from "./start-error.ts";

/** Reads the installation's secret keys. `dev` creates its own. Elsewhere the operator creates them. */
export function readSecretKeys(
  config: Pick<Config, "environment" | "dataDir" | "secretKeysFile">,
): KeyRing {
  const path = config.secretKeysFile;
  if (config.environment === "dev") {
    makeDataFolder(config.dataDir);
    ensureKeyFile(path);
  }
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new StartError(
      `The secret keys file ${path} does not exist. Create it once, and keep a copy outside this machine: ` +
        `(umask 077; echo "k1:$(openssl rand -base64 32)" > ${path}). Or name another file with ` +
        "EXCHANGE_SECRET_KEYS_FILE.",
    );
  }
  try {
    return readKeyRing(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new StartError((error as Error).message, { cause: error });
  }
}
