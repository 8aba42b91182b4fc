import {
  storeSealedBilling,
  storeSealedOrders,
  storeSealedSessions,
  storeSealedWallets,
  takeUnsealedBilling,
  takeUnsealedOrders,
  takeUnsealedSessions,
  takeUnsealedWallets,
  UNSEALED_BATCH,
  type UnsealedOrder,
} from "../../storage/customers/unsealed.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import { walletRowKey } from "../../storage/wallets/wallets.ts";
import type { Deps } from "../deps.ts";
import { sealBilling, sealOrder, sealSession, sealWallet } from "./personal-data.ts";

type SealDeps = Pick<Deps, "database" | "secrets" | "dataKeys">;

/** Seals a batch of rows and returns their number. */
type SealSome = (deps: SealDeps, tx: Tx) => Promise<number>;

/**
 * Seals the personal data that earlier versions stored in the clear. It runs before anything reads the rows.
 * Each batch is one database transaction, so a start that was killed goes on where it was. A batch that is not
 * full is the last one, although processes of the earlier version may write more: the next start seals those.
 * Returns the number of rows.
 */
export async function sealEarlierRows(deps: SealDeps): Promise<number> {
  let total = 0;
  for (const sealSome of [sealSessions, sealOrders, sealAttempts, sealWallets]) {
    for (;;) {
      const sealed = await deps.database.transaction((tx) => sealSome(deps, tx));
      total += sealed;
      if (sealed < UNSEALED_BATCH) break;
    }
  }
  return total;
}

const sealSessions: SealSome = async (deps, tx) => {
  const rows = await takeUnsealedSessions(tx);
  const sealed = rows.map(({ merchantId, sessionId, ...person }) => ({
    merchantId,
    rowKey: sessionId,
    ...sealSession(deps, { merchantId, sessionId }, person),
  }));
  if (rows.length > 0) await storeSealedSessions(tx, sealed);
  return rows.length;
};

const sealOrders: SealSome = async (deps, tx) => {
  const rows = await takeUnsealedOrders(tx);
  const sealed = rows.map((row) => {
    const { id, merchantId, sessionId, dataKey, customer, metadata, payoutShown } = row;
    const person = { customer, metadata, payoutShown, payoutFields: payoutFieldsOf(deps, row) };
    const owner = { merchantId, sessionId, dataKey, customer: {} };
    const { personal, newKey } = sealOrder(deps, owner, { id: BigInt(id), person });
    return { id, merchantId, rowKey: sessionId, personal, newKey };
  });
  if (rows.length > 0) await storeSealedOrders(tx, sealed);
  return rows.length;
};

/** The fields were sealed with the service's own key, bound to the order. */
function payoutFieldsOf({ secrets }: SealDeps, { id, payoutSealed }: UnsealedOrder) {
  if (payoutSealed === null) return {};
  return JSON.parse(secrets.open(payoutSealed, `orders.payout:${id}`)) as Record<string, string>;
}

/** The orders are sealed before, so each has a data key. */
const sealAttempts: SealSome = async (deps, tx) => {
  const rows = await takeUnsealedBilling(tx);
  const sealed = rows.map(({ id, orderId, address, ...row }) => {
    const order = { ...row, id: BigInt(orderId), personal: null };
    return { id, sealed: sealBilling(deps, order, { attemptId: id, address }) };
  });
  if (rows.length > 0) await storeSealedBilling(tx, sealed);
  return rows.length;
};

const sealWallets: SealSome = async (deps, tx) => {
  const rows = await takeUnsealedWallets(tx);
  const sealed = rows.map(({ merchantId, id, currencyId, addressKey, firstName, lastName }) => {
    const wallet = { merchantId, currencyId, addressKey };
    const { personal, newKey } = sealWallet(deps, wallet, { firstName, lastName });
    return { merchantId, id, rowKey: walletRowKey(wallet), personal, newKey };
  });
  if (rows.length > 0) await storeSealedWallets(tx, sealed);
  return rows.length;
};
