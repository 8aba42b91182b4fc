import { type Asset, powerOfTen } from "@exchange/money";

/** The smallest published amount, in smallest units: amounts are counted in these steps. */
export const publishedStep = (asset: Asset): bigint =>
  powerOfTen(asset.decimals - asset.publishedDecimals);
