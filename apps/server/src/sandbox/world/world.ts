import type { Database } from "../../storage/postgres/database.ts";
import { decidePayout } from "../banks/payouts.ts";
import {
  findTransfer,
  insertTransfer,
  rejectTransfer,
  type StoredTransfer,
  settleTransfer,
  transfersTo,
} from "../banks/transfers.ts";
import { SEND_NONE, type SendCallback } from "../callbacks/callbacks.ts";
import { endPayment } from "../cards/issuer.ts";
import { numberOf } from "../cards/test-cards.ts";
import {
  confirmDeposit,
  externalIdOf,
  insertDeposit,
  listDeposits,
  orphanDeposit,
  type StoredDeposit,
  stateOf,
} from "../chains/deposits.ts";
import type {
  SandboxDeposit,
  SandboxDepositChange,
  SandboxPayment,
  SandboxTarget,
  SandboxWorld,
} from "./sandbox-world.ts";

/** A transfer that is not moved on settles by itself after this business time. */
const IN_FLIGHT_SECONDS = 3 * 24 * 60 * 60;

const CARDS = {
  approved: numberOf("approved"),
  challenge: numberOf("challenge_succeeds"),
  declined: numberOf("declined"),
  three_ds_failed: numberOf("authentication_failed"),
};

/**
 * The outside world of the sandbox. It writes the books of its processor, banks and chains, and the processor and the
 * banks send callbacks.
 */
export function sandboxWorld(
  database: Database,
  sendCallback: SendCallback = SEND_NONE,
): SandboxWorld {
  return {
    pay: async (payment) => {
      const deposit = await pay(database, payment);
      const { target } = payment;
      if (target.rail === "bank") sendCallback({ kind: "deposit", reference: target.reference });
      return deposit;
    },
    paymentsTo: (target) => paymentsTo(database, target),
    change: (deposit, change) =>
      deposit.rail === "chain"
        ? changeCoins(database, deposit.id, change)
        : changeTransfer(database, deposit.id, change),
    decidePayout: async (intentId, outcome) => {
      const isDecided = await decidePayout(database, intentId, outcome);
      if (isDecided) sendCallback({ kind: "payout", reference: intentId });
      return isDecided;
    },
    endCardPayment: async (reference, end) => {
      const isEnded = await endPayment(database, reference, end);
      if (isEnded) sendCallback({ kind: "payment", reference });
      return isEnded;
    },
    cards: CARDS,
  };
}

async function pay(database: Database, payment: SandboxPayment): Promise<SandboxDeposit> {
  const { id, target, assetReference, units, confirmations, returns } = payment;
  if (target.rail === "chain") {
    const { to } = target;
    return ofCoins(await insertDeposit(database, { id, to, assetReference, units, confirmations }));
  }
  const { reference } = target;
  const settlesAfterSeconds = confirmations > 0 ? 0 : IN_FLIGHT_SECONDS;
  const transfer = { id, reference, assetReference, units, returns, settlesAfterSeconds };
  return ofTransfer(await insertTransfer(database, transfer));
}

async function paymentsTo(
  database: Database,
  target: SandboxTarget,
): Promise<readonly SandboxDeposit[]> {
  return target.rail === "chain"
    ? (await listDeposits(database, target.to)).map(ofCoins)
    : (await transfersTo(database, target.reference)).map(ofTransfer);
}

async function changeCoins(
  database: Database,
  id: string,
  change: SandboxDepositChange,
): Promise<SandboxDeposit> {
  return ofCoins(
    change.kind === "drop"
      ? await orphanDeposit(database, id)
      : await confirmDeposit(database, id, change.confirmations),
  );
}

async function changeTransfer(
  database: Database,
  id: string,
  change: SandboxDepositChange,
): Promise<SandboxDeposit | undefined> {
  const wanted = change.kind === "drop" ? "rejected" : "settled";
  if (change.kind === "drop") await rejectTransfer(database, id);
  else if (change.confirmations > 0) await settleTransfer(database, id);
  const transfer = await findTransfer(database, id);
  const isWanted = transfer?.state === wanted || transfer?.state === "in_flight";
  return transfer && isWanted ? ofTransfer(transfer) : undefined;
}

const ofCoins = (deposit: StoredDeposit): SandboxDeposit => ({
  id: deposit.id,
  externalId: externalIdOf(deposit),
  rail: "chain",
  assetReference: deposit.assetReference,
  units: BigInt(deposit.units),
  state: stateOf(deposit),
  confirmations: deposit.confirmations,
  transactionHash: deposit.transactionHash,
});

const ofTransfer = (
  transfer: Omit<StoredTransfer, "units"> & { readonly units: string | bigint },
): SandboxDeposit => ({
  id: transfer.id,
  externalId: transfer.id,
  rail: "bank",
  assetReference: transfer.assetReference,
  units: BigInt(transfer.units),
  state: transfer.state,
  confirmations: transfer.state === "settled" ? 1 : 0,
  transactionHash: null,
});
