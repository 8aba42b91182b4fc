import {
  jsonNumber,
  type Outgoing,
  type SessionData,
  type SessionLock as WireLock,
} from "@exchange/contract";
import { parseDecimal } from "@exchange/money";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import type { SessionView } from "../../flows/sessions/read.ts";
import type { MerchantCaller } from "../auth/caller.ts";
import { type PresentDeps, presentToKey } from "../orders/present.ts";
import { toOperationType, toUnixSeconds } from "../wire.ts";

/** Presents a session with its order, as its merchant's key may read it. */
export function presentSession(
  { session, order }: SessionView,
  key: Pick<MerchantCaller, "keyScopes">,
  deps: PresentDeps,
): Outgoing<SessionData> {
  return {
    sessionId: session.sessionId,
    status: session.status,
    expiresAt: toUnixSeconds(session.tokenExpiresAt),
    scope: session.scope,
    lock: presentLock(session.lock),
    customer: session.customer,
    returnUrl: session.returnUrl,
    locale: session.locale,
    metadata: session.metadata,
    createdAt: toUnixSeconds(session.createdAt),
    order: order && presentToKey(order, key, deps),
  };
}

/** Presents the terms that the merchant fixed, in the merchant's own codes. */
export function presentLock(lock: SessionTerms): Outgoing<WireLock> {
  const amount = lock.spendAmount === undefined ? undefined : parseDecimal(lock.spendAmount);
  return {
    ...(lock.operation && { operationType: toOperationType(lock.operation) }),
    ...(lock.spendCurrency !== undefined && { baseCurrency: lock.spendCurrency }),
    ...(amount && { baseAmount: jsonNumber(amount) }),
    ...(lock.receiveCurrency !== undefined && { targetCurrency: lock.receiveCurrency }),
    ...(lock.paymentMethod !== undefined && { paymentMethod: lock.paymentMethod }),
    ...(lock.walletAddress !== undefined && { walletAddress: lock.walletAddress }),
    ...(lock.networkCode !== undefined && { networkCode: lock.networkCode }),
    ...(lock.memo !== undefined && { memo: lock.memo }),
    ...(lock.withoutMemo && { withoutMemo: lock.withoutMemo }),
  };
}
