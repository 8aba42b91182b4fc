import { type Decimal, divide, formatDecimal, powerOfTen } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import { unitsText } from "../catalogue/exact-amount.ts";
import type { NetworkFee, NetworkFees } from "../ports/network-fees.ts";
import type { PriceTable } from "../ports/rate-source.ts";
import { describeMoney, FIXED_FEES_MULTIPLE, publishedLeast, withLeast } from "../rules/limits.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import type { Terms } from "../rules/terms.ts";
import type { Trace } from "../rules/trace.ts";
import type { NetworkFeeEvidence } from "./quote.ts";

/** Terms with the present delivery fee, and its origin where the network's market prices it. */
export interface TermsWithFee {
  readonly terms: Terms;
  readonly networkFee?: NetworkFeeEvidence;
}

/**
 * Replaces the catalogue's flat delivery fee by the network's own, where the network has one. The fee is converted at
 * the prices of the quote, which the table has, and rounded once, to the nearest step, as every fee of a quote is.
 * The least exchange rises with it. Refuses LIQUIDITY_UNAVAILABLE while the fee is unknown.
 */
export function withNetworkFee(
  terms: Terms,
  networkFees: NetworkFees,
  table: PriceTable,
): RuleResult<TermsWithFee> {
  if (terms.deliveryMethod.type !== "on_chain") return granted({ terms });
  const fee = networkFees.feeOf(terms.receive);
  if (fee === "flat") return granted({ terms });
  if ("refusal" in fee) return refused("LIQUIDITY_UNAVAILABLE", fee.refusal);
  const price = (currency: Currency) => ({ currency, price: table.price(currency.code) });
  const [coin, receive, spend] = [price(fee.coin), price(terms.receive), price(terms.spend)];
  if (!isPriced(coin)) return noPrice(coin.currency);
  if (!isPriced(receive)) return noPrice(receive.currency);
  if (!isPriced(spend)) return noPrice(spend.currency);
  const deliveryFixed = convertSteps(
    { units: fee.units, scale: fee.coin.decimals },
    { from: coin, to: receive },
    "half_up",
  );
  const fees = { ...terms.fees, deliveryFixed };
  const least = {
    units: (fees.fixed + deliveryFixed) * FIXED_FEES_MULTIPLE,
    scale: terms.receive.publishedDecimals,
  };
  const leastSteps = convertSteps(least, { from: receive, to: spend }, "up");
  const limits = withLeast(terms.limits, publishedLeast(terms.spend, leastSteps));
  return granted({ terms: { ...terms, fees, limits }, networkFee: evidenceOf(fee, coin.price) });
}

interface PricedSide {
  readonly currency: Currency;
  readonly price: Decimal;
}

const isPriced = (side: {
  readonly currency: Currency;
  readonly price: Decimal | undefined;
}): side is PricedSide => side.price !== undefined;

const noPrice = ({ code }: Currency): RuleResult<never> =>
  refused("LIQUIDITY_UNAVAILABLE", `${code} has no price at the moment. Try again later.`);

/** Returns an amount of one currency in published steps of another. */
function convertSteps(
  amount: Decimal,
  { from, to }: { readonly from: PricedSide; readonly to: PricedSide },
  rounding: "half_up" | "up",
): bigint {
  const steps = powerOfTen(to.currency.publishedDecimals);
  return divide(
    amount.units * from.price.units * powerOfTen(to.price.scale) * steps,
    powerOfTen(amount.scale) * powerOfTen(from.price.scale) * to.price.units,
    rounding,
  );
}

const evidenceOf = (fee: NetworkFee, coinPrice: Decimal): NetworkFeeEvidence => ({
  networkCode: fee.networkCode,
  coin: fee.coin.code,
  amount: unitsText(fee.coin, fee.units),
  dollars: formatDecimal(coinPrice),
  rate: String(fee.rate),
  work: String(fee.work),
  ...(fee.bytes !== undefined && { bytes: String(fee.bytes), byteRate: String(fee.byteRate) }),
  at: fee.at.toISOString(),
  kind: fee.kind,
});

/** Returns the work of a transfer and its rate in words, and those of its bytes where they cost something. */
export function workWords({
  work,
  rate,
  bytes,
  byteRate,
}: Pick<NetworkFeeEvidence, "work" | "rate" | "bytes" | "byteRate">): string {
  const ofWork = `${work} units of work at ${rate}`;
  if (bytes === undefined) return ofWork;
  const ofBytes = `${bytes} bytes at ${byteRate}`;
  return work === "0" ? ofBytes : `${ofWork} and ${ofBytes}`;
}

/** Traces the network fee of a quote for `exchange rules explain`. */
export function traceNetworkFee(trace: NonNullable<Trace>, priced: RuleResult<TermsWithFee>): void {
  if (!priced.ok) {
    const why = priced.refusal.message;
    trace({ rule: "network fee", subject: "", figures: "", verdict: "refuses", why });
    return;
  }
  const { terms, networkFee } = priced.value;
  if (!networkFee) return;
  const { networkCode, amount, coin, kind } = networkFee;
  trace({
    rule: "network fee",
    subject: networkCode,
    figures: `${amount} ${coin}: ${workWords(networkFee)} (${kind}), the least ${describeMoney(terms.limits.min)}`,
    verdict: "applies",
    why: "",
  });
}
