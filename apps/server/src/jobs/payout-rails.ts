import { money } from "@exchange/money";
import type { PayoutIntent } from "../domain/payouts/payout-intent.ts";
import type { BankPayout, SeenPayout } from "../domain/ports/bank-gateway.ts";
import type { CardRefund } from "../domain/ports/card-processor.ts";
import type { ChainGateway, ChainTransfer } from "../domain/ports/chain-gateway.ts";
import { personOf, withLockedKey } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";
import { findOrderView } from "../storage/orders/views.ts";
import { listDeposits } from "../storage/payments/deposits.ts";

/**
 * The bytes that make a rail pay. They are stored before they are sent, so that they can be sent
 * again.
 */
export interface SignedPayout {
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

export interface SeenOnRail {
  /** `replaced`: it can never be made, because another transaction took its nonce. */
  readonly state: "pending" | "settled" | "rejected" | "replaced";
  readonly confirmations: number;
  readonly isStuck: boolean;
}

/** A rail for the payout job: the same steps on a chain, at a bank and at a card processor. */
export interface PayoutRail {
  sign(): Promise<SignedPayout>;
  send(signed: SignedPayout): Promise<void>;
  /**
   * Returns undefined when the rail does not know the reference. Then the same bytes are sent
   * again.
   */
  lookUp(transactionHash: string): Promise<SeenOnRail | undefined>;
  replace?(stuck: SignedPayout): Promise<SignedPayout>;
  /** Returns the transactions of this payout that the rail's statement lists. */
  listStated?(): Promise<readonly string[]>;
}

export function railOf(deps: Deps, intent: PayoutIntent): PayoutRail {
  switch (intent.rail) {
    case "chain":
      return chainRail(deps, intent);
    case "bank":
      return bankRail(deps, intent);
    case "card":
      return cardRail(deps, intent);
  }
}

function chainRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const chain = requireRail(deps.chain, "chain");
  const networkCode = intent.networkCode ?? "";
  const replace = chain.replace?.bind(chain);
  const required = deps.catalogue().network(networkCode)?.confirmations ?? Number.POSITIVE_INFINITY;
  return {
    sign: () => chain.sign(toTransfer(deps, intent)),
    send: (signed) => chain.broadcast({ networkCode, ...signed }),
    lookUp: async (transactionHash) => {
      const seen = await chain.lookUp(networkCode, transactionHash);
      if (!seen) return undefined;
      const { confirmations, isStuck } = seen;
      if (seen.state === "replaced") return { state: "replaced", confirmations, isStuck };
      const isSettled = seen.state === "in_block" && confirmations >= required;
      return { state: isSettled ? "settled" : "pending", confirmations, isStuck };
    },
    listStated: () => listStated(chain, intent.id),
    ...(replace ? { replace: (stuck: SignedPayout) => replace({ networkCode, ...stuck }) } : {}),
  };
}

async function listStated({ statement }: ChainGateway, intentId: string): Promise<string[]> {
  const lines = (await statement?.(new Date(0))) ?? [];
  return lines
    .filter(({ kind, reference }) => kind === "payout" && reference === intentId)
    .map(({ railReference }) => railReference);
}

function toTransfer(deps: Deps, intent: PayoutIntent): ChainTransfer {
  const { networkCode, address, nonce } = intent;
  if (networkCode === null || address === null || nonce === null) {
    throw new Error(`payout intent ${intent.id} is not bound to a place on a chain`);
  }
  return {
    intentId: intent.id,
    networkCode,
    assetReference: deps.catalogue().requireCurrency(intent.assetId).reference,
    address,
    memo: intent.memo,
    units: intent.units,
    nonce,
  };
}

const toSeen = ({ state }: SeenPayout): SeenOnRail => ({
  state,
  confirmations: 0,
  isStuck: false,
});

function bankRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const bank = requireRail(deps.bank, "bank");
  return {
    sign: async () => {
      const { reference, bytes } = await bank.prepare(await toBankPayout(deps, intent));
      return { transactionHash: reference, bytes };
    },
    send: ({ transactionHash, bytes }) => bank.submit({ reference: transactionHash, bytes }),
    lookUp: async (reference) => {
      const seen = await bank.lookUp(reference);
      return seen && toSeen(seen);
    },
  };
}

async function toBankPayout(deps: Deps, intent: PayoutIntent): Promise<BankPayout> {
  const view = await findOrderView(deps.database, intent);
  if (!view) throw new Error(`order ${intent.orderId} is missing`);
  const { order } = view;
  const catalogue = deps.catalogue();
  const amount = money(catalogue.requireCurrency(intent.assetId), intent.units);
  if (intent.purpose !== "payout") {
    const method = catalogue.paymentMethodById(order.paymentMethodId)?.reference ?? "";
    const deposits = await listDeposits(deps.database, order.id);
    const returns = deposits.find(({ id }) => id === intent.depositId)?.externalId ?? null;
    return { intentId: intent.id, method, amount, fields: {}, returns };
  }
  const method = catalogue.deliveryMethodById(order.deliveryMethodId)?.reference ?? "";
  const opened = await withLockedKey(deps, order);
  if (opened.personal !== null && opened.dataKey === null) {
    throw new Error(`the payout fields of order ${order.id} were erased: refund the order`);
  }
  const { payoutFields } = personOf(deps, opened);
  return { intentId: intent.id, method, amount, fields: payoutFields, returns: null };
}

const CARD_STATES = { pending: "pending", refunded: "settled", rejected: "rejected" } as const;

const toSeenRefund = ({ status }: CardRefund): SeenOnRail => ({
  state: CARD_STATES[status],
  confirmations: 0,
  isStuck: false,
});

/**
 * The instruction of a refund is the intent itself. Its bytes are stored as a signed transfer's
 * are.
 */
function cardRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const refunds = requireRail(deps.cardProcessor?.refunds, "card processor that refunds");
  const paymentReference = intent.attemptId ?? "";
  const amount = money(deps.catalogue().requireCurrency(intent.assetId), intent.units);
  return {
    sign: async () => ({
      transactionHash: intent.id,
      bytes: Buffer.from(JSON.stringify({ paymentReference, units: String(intent.units) })),
    }),
    send: async ({ transactionHash }) => {
      await refunds.refund({ reference: transactionHash, paymentReference, amount });
    },
    lookUp: async (reference) => {
      const seen = await refunds.lookUp(reference);
      return seen && toSeenRefund(seen);
    },
  };
}

/** Returns the rail. Throws while none is configured, so the job waits until one is. */
export function requireRail<Rail>(rail: Rail | undefined, name: string): Rail {
  if (rail === undefined) throw new Error(`no ${name} is configured`);
  return rail;
}
