import { checkValueOf, type KeyRing } from "../secrets/key-ring.ts";
import { readHistory } from "../storage/history.ts";
import {
  addKeyCheck,
  countSealedBy,
  readKeyChecks,
  removeKeyCheck,
} from "../storage/key-checks.ts";
import type { Database } from "../storage/postgres/database.ts";
import { StartError } from "./start-error.ts";

/**
 * Compares the secret keys with those that the installation has used, and stores the new ones. Throws a `StartError`
 * when a key has other bytes under its id, or when a missing key still seals rows. The service would look healthy
 * with such keys, and every webhook and every customer's data would fail
 * (docs/decisions/0088-check-secret-keys-at-the-start.md).
 */
export async function checkSecretKeys(
  database: Database,
  ring: KeyRing,
  secretKeysFile: string,
): Promise<void> {
  const problems = await findKeyProblems(database, ring, secretKeysFile);
  if (problems.length > 0) throw new StartError(problems.join("\n"));
  const { installation } = await readHistory(database);
  const { valueOf, mayWrite } = await readKeyChecks(database);
  // The role of the API may not keep the list. A worker does.
  if (!mayWrite) return;
  for (const key of ring.keys.values()) {
    if (!valueOf.has(key.id)) await addKeyCheck(database, key.id, checkValueOf(key, installation));
  }
  for (const id of valueOf.keys()) {
    if (!ring.keys.has(id)) await removeKeyCheck(database, id);
  }
}

/** Returns a sentence for each key that the file lacks or has with other bytes. Changes nothing. */
export async function findKeyProblems(
  database: Database,
  ring: KeyRing,
  secretKeysFile: string,
): Promise<string[]> {
  const { installation } = await readHistory(database);
  const { valueOf } = await readKeyChecks(database);
  const problems: string[] = [];
  for (const [id, value] of valueOf) {
    const key = ring.keys.get(id);
    if (key === undefined) {
      const count = await countSealedBy(database, id);
      if (count > 0) problems.push(missing(id, count, secretKeysFile));
    } else if (checkValueOf(key, installation) !== value) {
      problems.push(
        `The key ${id} of ${secretKeysFile} is not the key ${id} that this database was used with. ` +
          `Restore the file from its copy. A new key needs another id. ${WAY_OUT(id)}`,
      );
    }
  }
  return problems;
}

const missing = (id: string, count: number, file: string): string =>
  `${file} has no key ${id}, and ${count} data keys, webhook secrets and authenticators of this database are sealed with ` +
  `it. Add its line below the first one. ${WAY_OUT(id)}`;

const WAY_OUT = (id: string): string =>
  `If key ${id} is lost for good, see docs/operating/back-up.md#a-lost-secret-key.`;
