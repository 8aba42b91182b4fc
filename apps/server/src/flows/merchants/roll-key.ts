import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  type ApiKeyRecord,
  endApiKey,
  listApiKeys,
  revokeApiKey,
} from "../../storage/merchants/api-keys.ts";
import { lockMerchant } from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import {
  type CreatedKey,
  type CreateKey,
  insertNewKey,
  requireGrantable,
  showLimits,
} from "./create-key.ts";

export interface RollKey extends Pick<CreateKey, "grantable"> {
  readonly merchantId: string;
  readonly id: string;
  /** How long the earlier key works beside the new one. A day when undefined; 0 revokes it now. */
  readonly overlapSeconds?: number | undefined;
  readonly by: Operator;
}

const OVERLAP_SECONDS = 86_400;

/**
 * Creates a key with the limits of another and ends that one after the overlap. Refuses NOT_FOUND for a key that
 * does not work, ROLE_REQUIRED for one whose scopes are beyond the person's rights, and INVALID_INPUT while a second key
 * works.
 */
export async function rollKey(
  deps: Pick<Deps, "database" | "ids" | "environment">,
  command: RollKey,
): Promise<CreatedKey> {
  const by = requireOperator(deps, command.by);
  const { merchantId, overlapSeconds = OVERLAP_SECONDS } = command;
  return deps.database.transaction(async (tx) => {
    const earlier = await requireWorkingKey(tx, command);
    requireGrantable(earlier.scopes, command);
    const ended =
      overlapSeconds === 0
        ? await revokeApiKey(tx, earlier)
        : await endApiKey(tx, earlier, overlapSeconds);
    // The earlier key may end soon because it was replaced before. That is not a limit of the new one.
    const limits = { ...earlier, expiresAt: earlier.chosenExpiresAt };
    const created = await insertNewKey(tx, deps, { merchantId, limits, by });
    await logControl(tx, {
      operator: by,
      action: "roll_key",
      subject: earlier.id,
      details: { client: merchantId, newKey: created.keyId },
      before: showLimits(earlier),
      after: ended === undefined || ended.revokedAt !== null ? null : showLimits(ended),
    });
    return created;
  });
}

async function requireWorkingKey(tx: Tx, { merchantId, id }: RollKey): Promise<ApiKeyRecord> {
  await lockMerchant(tx, merchantId);
  const key = (await listApiKeys(tx, merchantId)).find((one) => one.id === id);
  if (key !== undefined && stateOfKey(key) === "active") return key;
  throw new Refusal("NOT_FOUND", {
    message: `The merchant ${merchantId} has no active key ${id}. Create a key instead.`,
  });
}

/** Returns whether a key works. Its end is by the real clock. */
export function stateOfKey({
  revokedAt,
  expiresAt,
}: Pick<ApiKeyRecord, "revokedAt" | "expiresAt">): "active" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? "expired" : "active";
}

/** Lists a merchant's keys for a person, with those that ended, the newest first. */
export const listKeys = async (
  { database }: Pick<Deps, "database">,
  merchantId: string,
): Promise<readonly ApiKeyRecord[]> => (await listApiKeys(database, merchantId)).toReversed();

export type { ApiKeyRecord } from "../../storage/merchants/api-keys.ts";
