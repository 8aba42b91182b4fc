import { existsSync, mkdirSync } from "node:fs";
import type { Config } from "../config.ts";
import { ensureKeyFile, type KeyRing, readKeyRing } from "../secrets/key-ring.ts";
import { StartError } from "./start-error.ts";

/** Reads the installation's secret keys. Only dev makes its own: elsewhere they are the operator's. */
export function readSecretKeys(
  config: Pick<Config, "environment" | "dataDir" | "secretKeysFile">,
): KeyRing {
  const path = config.secretKeysFile;
  if (config.environment === "dev") {
    mkdirSync(config.dataDir, { recursive: true });
    ensureKeyFile(path);
  }
  if (!existsSync(path)) {
    throw new StartError(
      `The secret keys file ${path} does not exist. Make it once, keep a copy outside this machine: ` +
        `(umask 077; echo "k1:$(openssl rand -base64 32)" > ${path}) — or name another with ` +
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
