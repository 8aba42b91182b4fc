export {
  compareDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  normalize,
  parseDecimal,
  rescale,
  significantDigits,
} from "./decimal.ts";
export { divide, type Rounding } from "./divide.ts";
export {
  AMOUNT_SIGNIFICANT_DIGITS_MAX,
  type Asset,
  add,
  basisPointsOf,
  fromDecimal,
  isPublishable,
  type Money,
  money,
  roundToPublished,
  subtract,
  toDecimal,
  zero,
} from "./money.ts";
export { powerOfTen } from "./power-of-ten.ts";
export { convert, RATE_SIGNIFICANT_DIGITS_MAX, type Rate, ratio } from "./rate.ts";
export { type AmountReading, readAmount, toAsciiDigits } from "./written.ts";
