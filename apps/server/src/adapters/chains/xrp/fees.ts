import type { FeeMarket } from "../../../domain/ports/network-fees.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { makeFeeMarket, requirePaid } from "../fee-market.ts";
import type { Rpc } from "../rpc.ts";
import { openXrpQuorum, type XrpEndpointsOptions } from "./endpoints.ts";
import { askXrp } from "./rpc.ts";
import { xrpWordsOf } from "./words.ts";

/** The prices of the ledger, in drops. */
export interface XrpPrices {
  /** The fee with which the open ledger takes a transaction. */
  readonly fee: bigint;
  /** The balance that an account must keep, with `increment` more for each object that it owns. */
  readonly reserve: bigint;
  readonly increment: bigint;
}

/** Reads the prices. Of the endpoints' answers the middle one counts, so that one endpoint sets no price. */
export async function readMiddlePrices(quorum: Quorum): Promise<XrpPrices> {
  const answers = await quorum.collect({ what: "prices", ask: readXrpPrices });
  const middle = (name: keyof XrpPrices): bigint =>
    middleOf(answers.map(({ value }) => value[name]));
  return { fee: middle("fee"), reserve: middle("reserve"), increment: middle("increment") };
}

/** Reads one endpoint's prices. */
async function readXrpPrices(rpc: Rpc): Promise<XrpPrices> {
  const words = xrpWordsOf(rpc.name);
  const fee = await readFee(rpc);
  const state = words.object((await askXrp(rpc, ["server_state", {}]))?.["state"]);
  const validated = words.object(state["validated_ledger"]);
  return {
    fee,
    reserve: words.drops(validated["reserve_base"]),
    increment: words.drops(validated["reserve_inc"]),
  };
}

/** Returns the fee of one endpoint. No transaction is free here, and the signer would refuse one without a fee. */
async function readFee(rpc: Rpc): Promise<bigint> {
  const words = xrpWordsOf(rpc.name);
  const fees = words.object((await askXrp(rpc, ["fee", {}]))?.["drops"]);
  const [base, open] = [words.drops(fees["base_fee"]), words.drops(fees["open_ledger_fee"])];
  return requirePaid(rpc, open > base ? open : base);
}

/** Measures the fee market of the XRP Ledger: the drops that a payment pays now. Each payment is one unit of work. */
export const makeXrpFeeMarket = (options: XrpEndpointsOptions): FeeMarket =>
  makeFeeMarket({
    quorum: openXrpQuorum(options),
    needed: options.quorum,
    suspect: options.suspect,
    ratesOf: async (rpc) => ({ rate: await readFee(rpc) }),
  });
