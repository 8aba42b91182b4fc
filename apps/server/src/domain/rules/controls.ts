import { type Money, money } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import type { ExchangeControls } from "../payouts/controls.ts";
import { stopOfExchange } from "../payouts/stop.ts";
import type { RuleRefusal } from "./result.ts";

/** Returns the refusal by a stop. The operator's own reason is not for customers. */
export function refusedByStop(
  { stops }: ExchangeControls,
  exchange: {
    readonly spend: Currency;
    readonly receive: Currency;
    readonly methods: readonly string[];
  },
  merchantId: string,
): RuleRefusal | undefined {
  const { spend, receive } = exchange;
  const stop = stopOfExchange(stops, { ...exchange, merchantId });
  if (!stop) return undefined;
  const what =
    stop.kind === "merchant"
      ? "This merchant's exchanges are"
      : `Exchanging ${spend.code} for ${receive.code}${stop.kind === "method" ? " in this way" : ""} is`;
  return { code: "LIQUIDITY_UNAVAILABLE", message: `${what} paused right now. Try again later.` };
}

/** The parts of a price that our position provides, in the currency received. */
export interface GivenParts {
  readonly receive: Money;
  readonly transactionFee: Money;
  readonly deliveryFee: Money;
  readonly spread: Money;
}

/** Returns the debit of our liquidity account for an exchange. It includes the fees and the spread. */
export const given = ({ receive, transactionFee, deliveryFee, spread }: GivenParts): Money =>
  money(receive.asset, receive.units + transactionFee.units + deliveryFee.units + spread.units);

/** Returns the refusal when an exchange needs more than our position or our stock allows. */
export function refusedByLiquidity(
  { headroom, stock }: ExchangeControls,
  parts: GivenParts,
): RuleRefusal | undefined {
  const { asset, units } = parts.receive;
  const exceeds = (needed: bigint, left: bigint | undefined): boolean =>
    left !== undefined && needed > left;
  // The fees and the spread stay with us, so the stock provides what the customer receives.
  if (!exceeds(given(parts).units, headroom.get(asset.id)) && !exceeds(units, stock.get(asset.id)))
    return undefined;
  return {
    code: "LIQUIDITY_UNAVAILABLE",
    message: `We cannot provide that much ${asset.code} right now. Try a smaller amount, or try again later.`,
  };
}
