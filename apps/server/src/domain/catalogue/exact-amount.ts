import { type Asset, formatDecimal, money, toDecimal } from "@exchange/money";
import type { Catalogue } from "./catalogue.ts";

/** An exact amount with the reference of its asset: amounts are text, as JSON numbers are inexact. */
export interface ExactAmount {
  readonly amount: string;
  readonly currency: string;
}

/** Returns units of an asset in whole coins. */
export function exactAmount(catalogue: Catalogue, assetId: number, units: bigint): ExactAmount {
  const currency = catalogue.requireCurrency(assetId);
  return { amount: unitsText(currency, units), currency: currency.reference };
}

/** Returns units of an asset as a decimal number of whole coins, such as "0.015", without a code. */
export const unitsText = (asset: Asset, units: bigint): string =>
  formatDecimal(toDecimal(money(asset, units)));
