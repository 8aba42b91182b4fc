import { money } from "@exchange/money";
import type { PaidNetworkFee } from "../domain/ledger/house-entries.ts";
import type { BoundPayout, PayoutIntent } from "../domain/payouts/payout-intent.ts";
import type {
  ChainGateway,
  ChainPayment,
  ChainSend,
  SendOutcome,
} from "../domain/ports/chain-gateway.ts";
import type { Deps } from "../flows/deps.ts";
import type { PayoutOutcome, PayoutRail, SignedPayout } from "./payout-rail.ts";
import { requireRail } from "./require-rail.ts";

/** Pays on a chain. */
export function chainRail(deps: Deps, intent: BoundPayout): PayoutRail {
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
