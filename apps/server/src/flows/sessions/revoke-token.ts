import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { revokeOrderPage } from "../../storage/orders/pages.ts";
import {
  lockSession,
  revokeSessionToken as revoke,
  type SessionKey,
} from "../../storage/sessions/sessions.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { readSession, type SessionView } from "./read.ts";

export interface RevokeSessionToken extends SessionKey {
  /** The person at the command line. Absent when the merchant revokes the token. */
  readonly operator?: Operator | undefined;
}

/**
 * Ends the public token of a session, even after its order was placed. When it returns, every call with the token is
 * refused. The page of its order ends too, because the token could read its address. The order goes on. While the
 * session has no order, its merchant may create a new token. Refuses NOT_FOUND.
 */
export async function revokeSessionToken(
  deps: Pick<Deps, "database" | "environment" | "dataKeys">,
  command: RevokeSessionToken,
): Promise<SessionView> {
  const operator = command.operator && requireOperator(deps, command.operator);
  await deps.database.transaction(async (tx) => {
    const before = await lockSession(tx, command);
    const after = before && (await revoke(tx, command));
    if (!before || !after) {
      throw new Refusal("NOT_FOUND", { message: "There is no such session." });
    }
    if (after.orderId !== null) await revokeOrderPage(tx, after.orderId);
    if (!operator) return;
    const tokenOf = ({ tokenJti, tokenExpiresAt }: typeof before) => ({
      tokenJti,
      tokenExpiresAt: tokenExpiresAt.toISOString(),
    });
    await logControl(tx, {
      operator,
      action: "revoke_session_token",
      subject: command.sessionId,
      details: { client: command.merchantId },
      before: tokenOf(before),
      after: tokenOf(after),
    });
  });
  return readSession(deps, command);
}
