import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The paths of the programs that the campaign found. */
export const programPath = (variable: string): string => {
  const found = process.env[variable];
  if (found === undefined) throw new Error(`${variable} does not name a program.`);
  return found;
};

/** A command, with the variables that it needs. */
export interface Command {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its version, with the word `mended` for a mended copy. */
  readonly version: string;
}

const DEBIAN_FOLDER = "/usr/lib/python3/dist-packages/patroni";
const VERSION = /__version__ = '([\d.]+)'/;
/** https://github.com/patroni/patroni/pull/2689, in 3.0.3. The leader key is put only where there is none. */
const OVERWRITES = "self._name, self._lease, retry=_retry)";
const CREATES = "self._name, self._lease, '0', retry=_retry)";

/**
 * Returns the command of Patroni. Debian 12 has 3.0.2, which overwrites the key of a new leader. It is mended in a copy,
 * because its users are asked to use 3.0.3 or later. `CAMPAIGN_PATRONI=installed` runs it as it is.
 */
export function findPatroni(folder: string): Command {
  const program = programPath("PATRONI_PATH");
  const installed: Command = { words: [program], env: {}, version: "as installed" };
  const versionFile = path.join(DEBIAN_FOLDER, "version.py");
  if (program !== "/usr/bin/patroni" || !existsSync(versionFile)) return installed;
  const [, version = ""] = VERSION.exec(readFileSync(versionFile, "utf8")) ?? [];
  const source = readFileSync(path.join(DEBIAN_FOLDER, "dcs/etcd3.py"), "utf8");
  const needsMend = source.includes(OVERWRITES) && process.env["CAMPAIGN_PATRONI"] !== "installed";
  if (!needsMend) return { ...installed, version };
  const copy = path.join(folder, "python/patroni");
  cpSync(DEBIAN_FOLDER, copy, { recursive: true });
  writeFileSync(path.join(copy, "dcs/etcd3.py"), source.replace(OVERWRITES, CREATES));
  return {
    words: ["/usr/bin/python3", "-m", "patroni"],
    env: { PYTHONPATH: path.dirname(copy) },
    version: `${version} mended`,
  };
}
