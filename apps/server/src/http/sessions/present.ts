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

/**
 * Presents a session with its order, as its merchant's key may read it. A key without `read` gets no part of the
 * customer, no metadata and no return address, which may name the customer.
 */
export function presentSession(
  { session, order }: SessionView,
  key: Pick<MerchantCaller, "keyScopes">,
  deps: PresentDeps,
): Outgoing<SessionData> {
  const isReader = key.keyScopes.includes("read");
  return {
    sessionId: session.sessionId,
    status: session.status,
    expiresAt: toUnixSeconds(session.tokenExpiresAt),
    scope: session.scope,
    lock: presentLock(session.lock),
    customer: isReader ? session.customer : {},
    returnUrl: isReader ? session.returnUrl : null,
    locale: session.locale,
    metadata: isReader ? session.metadata : {},
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
