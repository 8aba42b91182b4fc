import { createHmac } from "node:crypto";
import { orderIdOf } from "../domain/orders/order-id.ts";
import type { Tx } from "../storage/database.ts";
import { nextOrderNumber } from "../storage/orders.ts";
import type { Environment } from "./deps.ts";

/** The id of a new order. Numbers are never reused, so neither are ids. */
export async function takeOrderId(tx: Tx, environment: Environment): Promise<bigint> {
  const { number, key } = await nextOrderNumber(tx);
  const mix = (round: bigint, half: bigint): bigint =>
    BigInt(createHmac("sha256", key).update(`${round}:${half}`).digest().readUInt32BE(0));
  return orderIdOf(number, { environment, mix });
}
