import { money } from "@exchange/money";
import type { PaidNetworkFee } from "../domain/ledger/house-entries.ts";
import type { BoundPayout, PayoutIntent } from "../domain/payouts/payout-intent.ts";
import type { BankPayout, SeenPayout } from "../domain/ports/bank-gateway.ts";
import type {
  ChainGateway,
  ChainPayment,
  ChainSend,
  Preflight,
  SendOutcome,
} from "../domain/ports/chain-gateway.ts";
import { isErased, personOf, withLockedKey } from "../flows/customers/personal-data.ts";
import type { Deps } from "../flows/deps.ts";
import { findOrder } from "../storage/orders/orders.ts";
import { findOrderView } from "../storage/orders/views.ts";
import { listDeposits } from "../storage/payments/deposits.ts";
import { requireRail } from "./require-rail.ts";

/**
 * The bytes that make a rail pay. They are stored before they are sent, so that they can be sent
 * again.
 */
export interface SignedPayout {
  readonly transactionHash: string;
  readonly bytes: Uint8Array;
}

/** The outcome of a payout on its rail. */
export type PayoutOutcome =
  /** `isKnown`: the rail has the newest bytes. If it has not, the same bytes are sent again. */
  | {
      readonly state: "pending";
      readonly isKnown: boolean;
      readonly isStuck: boolean;
      /** The transaction that a block has. */
      readonly hash?: string;
      readonly confirmations: number;
      readonly askAgainMs: number;
    }
  /** The transaction is in a block as deep as the network's payouts need. The block may still be dropped. */
  | {
      readonly state: "paid";
      readonly hash: string;
      readonly confirmations: number;
      readonly askAgainMs: number;
    }
  | {
      readonly state: "settled";
      readonly hash: string;
      readonly confirmations: number;
      readonly networkFee?: PaidNetworkFee;
    }
  /** Nothing was paid, and nothing will be. */
  | { readonly state: "rejected" }
  /** The transaction is final, and nothing moved. */
  | {
      readonly state: "failed";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: PaidNetworkFee;
    }
  /** Something else than the payout moved. */
  | {
      readonly state: "mismatch";
      readonly hash: string;
      readonly why: string;
      readonly networkFee: PaidNetworkFee;
    }
  /** The payout can never be made, because a transaction that we did not sign has its place. */
  | { readonly state: "dead"; readonly by: string }
  /** The signed payout can never be made, because of a final transaction of ours. It is planned again. */
  | { readonly state: "lost"; readonly by: string };

/** A rail for the payout job: the same steps on a chain, at a bank and at a card processor. */
export interface PayoutRail {
  /** Asks whether the payout could be made now, before it is bound. Absent if there is nothing to ask. */
  preflight?(): Promise<Preflight>;
  /** Throws `PayoutWaits` for a payout that waits after it was bound. It may have given up its place. */
  sign(): Promise<SignedPayout>;
  send(signed: SignedPayout): Promise<void>;
  /** `signed`: every signature of the payout, the newest last. At most one of them pays. */
  follow(signed: readonly SignedPayout[]): Promise<PayoutOutcome>;
  /** Signs again with a higher fee. Undefined where another transaction raises the fee. */
  replace?(stuck: SignedPayout): Promise<SignedPayout | undefined>;
  /** Returns the transactions of this payout that the rail's statement lists. */
  listStated?(): Promise<readonly string[]>;
}

export function railOf(deps: Deps, intent: BoundPayout): PayoutRail {
  switch (intent.rail) {
    case "chain":
      return chainRail(deps, intent);
    case "bank":
      return bankRail(deps, intent);
    case "card":
      return cardRail(deps, intent);
  }
}

function chainRail(deps: Deps, intent: BoundPayout): PayoutRail {
  const chain = requireRail(deps.chain, "chain");
  const networkCode = intent.networkCode ?? "";
  const replace = chain.replace?.bind(chain);
  const preflight = chain.preflight?.bind(chain);
  const send = (): ChainSend => toSend(deps, intent);
  return {
    sign: () => chain.sign(send()),
    send: (signed) => chain.broadcast({ networkCode, ...signed }),
    follow: async (signed) => {
      const transactions = signed.map((one) => ({ networkCode, ...one }));
      // An adopted payout has no bytes to send again. A refund can wait until it is final.
      const isEarly = intent.purpose === "payout" && signed.some(({ bytes }) => bytes.length > 0);
      return toOutcome(await chain.follow(send(), transactions), {
        isEarly,
        isFirst: intent.send?.isFirst !== false,
        feeOf: ({ hash, networkFee }) => feeOf(deps, { networkCode, hash, units: networkFee }),
      });
    },
    listStated: () => listStated(chain, intent.id),
    ...(preflight && { preflight: () => preflight(toPayment(deps, intent)) }),
    ...(replace && {
      replace: (stuck: SignedPayout) => replace(send(), { networkCode, ...stuck }),
    }),
  };
}

interface Reading {
  /** Whether it may be paid before it is final. */
  readonly isEarly: boolean;
  /** Whether its step books the fee, which its transaction costs once. */
  readonly isFirst: boolean;
  readonly feeOf: (ended: { readonly hash: string; readonly networkFee: bigint }) => PaidNetworkFee;
}

/** A payout is paid or settled only on proof that exactly the owed amount moved. */
function toOutcome(outcome: SendOutcome, { isEarly, isFirst, feeOf: fee }: Reading): PayoutOutcome {
  switch (outcome.state) {
    case "waiting":
      return { ...outcome, state: "pending", confirmations: 0 };
    case "mined":
      return outcome.isPaid === true && isEarly
        ? { ...outcome, state: "paid" }
        : { ...outcome, state: "pending", isKnown: true, isStuck: false };
    case "final":
      return {
        ...{ state: "settled", hash: outcome.hash, confirmations: outcome.confirmations },
        ...(isFirst && { networkFee: fee(outcome) }),
      };
    case "failed":
    case "mismatch":
      return { ...outcome, networkFee: fee(outcome) };
    case "dead":
    case "lost":
      return outcome;
  }
}

/** Returns what a transaction cost. Every network takes its fee in its own coin. */
export function feeOf(
  { catalogue }: Pick<Deps, "catalogue">,
  spent: { readonly networkCode: string; readonly hash: string; readonly units: bigint },
): PaidNetworkFee {
  const { networkCode, hash, units } = spent;
  const coin = catalogue().currencies.find(
    (one) => one.networkCode === networkCode && one.contractAddress === null,
  );
  if (!coin)
    throw new Error(`the catalogue lacks the coin of ${networkCode}, which its fees are in`);
  return { networkCode, hash, amount: money(coin, units) };
}

async function listStated({ statement }: ChainGateway, intentId: string): Promise<string[]> {
  const lines = (await statement?.(new Date(0))) ?? [];
  return lines
    .filter(({ kind, reference }) => kind === "payout" && reference === intentId)
    .map(({ railReference }) => railReference);
}

function toPayment(deps: Deps, intent: PayoutIntent): ChainPayment {
  const { id, networkCode, address, memo, units } = intent;
  if (networkCode === null || address === null) {
    throw new Error(`payout intent ${id} has no address on a chain`);
  }
  const { reference } = deps.catalogue().requireCurrency(intent.assetId);
  return { intentId: id, networkCode, assetReference: reference, address, memo, units };
}

function toSend(deps: Deps, intent: BoundPayout): ChainSend {
  const { networkCode, ...output } = toPayment(deps, intent);
  const { id, send } = intent;
  if (send === null) throw new Error(`payout intent ${id} is not bound to a place on a chain`);
  return {
    id: send.id,
    networkCode,
    purpose: "payout",
    place: send.place === null ? null : { kind: "nonce", nonce: send.place },
    outputs: [output],
    ...(intent.awaitsFinality && { isPaid: true as const }),
  };
}

/** The rail does not know the bytes, so they are sent again. */
const UNKNOWN: PayoutOutcome = {
  state: "pending",
  isKnown: false,
  isStuck: false,
  confirmations: 0,
  askAgainMs: 1_000,
};

/** Looks up the only bytes of a payout on a rail that knows it by its reference. */
const followOne = async (
  [only]: readonly SignedPayout[],
  lookUp: (reference: string) => Promise<SeenByReference | undefined>,
): Promise<PayoutOutcome> => {
  const hash = only?.transactionHash ?? "";
  const seen = await lookUp(hash);
  if (seen === undefined) return UNKNOWN;
  const { state, askAgainMs } = seen;
  switch (state) {
    case "settled":
      return { state, hash, confirmations: 0 };
    case "rejected":
      return { state };
    case "pending":
      return { state, isKnown: true, isStuck: false, confirmations: 0, askAgainMs };
  }
};

type SeenByReference = Pick<SeenPayout, "state" | "askAgainMs">;

function bankRail(deps: Deps, intent: PayoutIntent): PayoutRail {
  const bank = requireRail(deps.bank, "bank");
  return {
    preflight: async () => {
      const order = intent.purpose === "payout" && (await findOrder(deps.database, intent.orderId));
      const erased = order && isErased(await withLockedKey(deps, order));
      return erased ? { state: "rejected", why: WHY_ERASED } : { state: "clear" };
    },
    sign: async () => {
      const { reference, bytes } = await bank.prepare(await toBankPayout(deps, intent));
      return { transactionHash: reference, bytes };
    },
    send: ({ transactionHash, bytes }) => bank.submit({ reference: transactionHash, bytes }),
    follow: (signed) => followOne(signed, (reference) => bank.lookUp(reference)),
  };
}

const WHY_ERASED = "the fields of the account to pay were erased: refund the order";

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
  if (isErased(opened)) throw new Error(`order ${order.id}: ${WHY_ERASED}`);
  const { payoutFields } = personOf(deps, opened);
  return { intentId: intent.id, method, amount, fields: payoutFields, returns: null };
}

const CARD_STATES = { pending: "pending", refunded: "settled", rejected: "rejected" } as const;

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
    follow: (signed) =>
      followOne(signed, async (reference) => {
        const seen = await refunds.lookUp(reference);
        return seen && { state: CARD_STATES[seen.status], askAgainMs: seen.askAgainMs };
      }),
  };
}
