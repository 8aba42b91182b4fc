import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { revokeApiKey } from "../../storage/merchants/api-keys.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { showLimits } from "./create-key.ts";

export interface RevokeKey {
  readonly merchantId: string;
  readonly id: string;
  readonly by: Operator;
}

/** Revokes an API key, effective within a second. Refuses NOT_FOUND. */
export async function revokeKey(
  deps: Pick<Deps, "database" | "environment">,
  command: RevokeKey,
): Promise<void> {
  const operator = requireOperator(deps, command.by);
  await deps.database.transaction(async (tx) => {
    const key = await revokeApiKey(tx, command);
    if (!key) {
      throw new Refusal("NOT_FOUND", {
        message: `The merchant ${command.merchantId} has no active key ${command.id}.`,
      });
    }
    await logControl(tx, {
      operator,
      action: "revoke_key",
      subject: key.id,
      details: { client: key.merchantId },
      before: showLimits(key),
      after: null,
    });
  });
}
