import { type Asset, powerOfTen } from "@exchange/money";

/** Returns the smallest published amount in smallest units. Published amounts are multiples of it. */
export const publishedStep = (asset: Asset): bigint =>
  powerOfTen(asset.decimals - asset.publishedDecimals);
