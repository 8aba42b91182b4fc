import {
  type DataKeyId,
  REWRAP_BATCH,
  type RewrappedKey,
  sealedValuesOf,
  storeDataKeys,
  takeDataKeys,
} from "../../storage/customers/rewrapped.ts";
import { SEALED_VALUES } from "../../storage/key-checks.ts";
import { invitationLinkPlace } from "../../storage/mails/invitation-mails.ts";
import { webhookSecretPlace } from "../../storage/webhooks/endpoints.ts";
import { rewrapDataKey } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { authenticatorPlace } from "../people/prove.ts";

export interface RewrapOptions {
  /** The id of the current secret key. Everything is sealed with it afterwards. */
  readonly keyId: string;
  /** Is called after each batch, which is committed. */
  readonly onBatch: (progress: Rewrapped) => void;
}

export interface Rewrapped {
  /** The number of values that were sealed again. */
  readonly rewrapped: number;
  /** A sentence for each value that does not open. It stays as it is. */
  readonly unreadable: readonly string[];
}

type RewrapDeps = Pick<Deps, "database" | "dataKeys" | "secrets">;

/**
 * Seals with the current secret key every data key, webhook secret and authenticator, and every link that waits to be
 * mailed. Older keys can then leave the file. Each batch is one database transaction, and values that are done are
 * not read again. A run that was killed therefore continues where it was. The service may run meanwhile: a value that
 * changed is left alone.
 */
export async function rewrapSecrets(deps: RewrapDeps, options: RewrapOptions): Promise<Rewrapped> {
  const total = { rewrapped: 0, unreadable: [] as string[] };
  const report = (count: number): void => {
    total.rewrapped += count;
    options.onBatch(total);
  };
  const tryTo = <T>(words: string, seal: () => T): T | undefined => {
    try {
      return seal();
    } catch (error) {
      total.unreadable.push(`${words}: ${(error as Error).message}`);
      return undefined;
    }
  };
  await rewrapDataKeys(deps, { ...options, report, tryTo });
  await rewrapValues(deps, { ...options, report, tryTo });
  return total;
}

interface Run extends RewrapOptions {
  readonly report: (count: number) => void;
  readonly tryTo: <T>(words: string, seal: () => T) => T | undefined;
}

async function rewrapDataKeys(deps: RewrapDeps, { keyId, report, tryTo }: Run): Promise<void> {
  let after: DataKeyId | undefined;
  for (;;) {
    const stored = await takeDataKeys(deps.database, keyId, after);
    const keys = stored.flatMap((one): RewrappedKey[] => {
      const words = `data key ${one.kind} ${one.rowKey} of ${one.merchantId}`;
      const newKey = tryTo(words, () => rewrapDataKey(deps, one));
      return newKey ? [{ stored: one, newKey }] : [];
    });
    if (keys.length > 0) report(await storeDataKeys(deps.database, keys));
    if (stored.length < REWRAP_BATCH) return;
    after = stored.at(-1);
  }
}

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

async function rewrapValues(
  { database, secrets }: RewrapDeps,
  { keyId, report, tryTo }: Run,
): Promise<void> {
  for (const column of SEALED_VALUES) {
    const values = sealedValuesOf(column);
    for (let after = FIRST_ID; ; ) {
      const stored = await values.take(database, keyId, after);
      let count = 0;
      for (const one of stored) {
        const place = placeOf(column, one);
        const words = `${column.table}.${column.column} of ${one.id}`;
        const sealed = tryTo(words, () => secrets.seal(secrets.open(one.sealed, place), place));
        if (sealed && (await values.store(database, one, sealed))) count += 1;
      }
      if (count > 0) report(count);
      if (stored.length < REWRAP_BATCH) break;
      after = stored.at(-1)?.id ?? after;
    }
  }
}

const placeOf = (
  column: (typeof SEALED_VALUES)[number],
  { id, owner }: { readonly id: string; readonly owner: string },
): string => {
  if (column.column === "totp_sealed") return authenticatorPlace(owner);
  if (column.column === "link_sealed") return invitationLinkPlace(id);
  return webhookSecretPlace({ merchantId: owner, endpointId: id }, column.column);
};
