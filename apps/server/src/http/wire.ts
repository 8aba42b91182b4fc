import {
  amountNumber,
  type JsonNumber,
  OPERATION_TYPE_OF,
  type OperationType,
} from "@exchange/contract";
import { type Decimal, type Money, parseDecimal } from "@exchange/money";
import type { Operation } from "../domain/catalogue/operation.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

const OPERATIONS = {
  B: "buy",
  S: "sell",
  CC: "crypto_to_crypto",
  FF: "fiat_to_fiat",
} as const satisfies Record<OperationType, Operation>;

export const toOperation = (operationType: OperationType): Operation => OPERATIONS[operationType];

export const toOperationType = (operation: Operation): OperationType =>
  OPERATION_TYPE_OF[operation];

/** Converts an amount from a body. Its text is exact, because the scan refuses other numbers. */
export function toExact(value: number): Decimal {
  if (Number.isSafeInteger(value)) return { units: BigInt(value), scale: 0 };
  const decimal = parseDecimal(String(value));
  if (!decimal) throw new RangeError(`${value} is not a decimal number`);
  return decimal;
}

export const presentMoney: (amount: Money) => JsonNumber = amountNumber;

export const toUnixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

export const unixSecondsOrNull = (time: Date | null): number | null => time && toUnixSeconds(time);

/** The success body of every endpoint except the two that create. */
export const ok = <Data>(data: Data) => ({ success: true, code: "ok", data }) as const;

/** The success body of a list. */
export const list = <Item>(data: readonly Item[], nextCursor: string | undefined) =>
  ({ success: true, code: "ok", data, nextCursor: nextCursor ?? null }) as const;

/** The success body of token and wallet creation. */
export const created = <Data>(data: Data, message: string) =>
  ({ code: "OK", data, message }) as const;
