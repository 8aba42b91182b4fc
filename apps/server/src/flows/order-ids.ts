import { createHmac } from "node:crypto";
import { orderIdOf } from "../domain/orders/order-id.ts";
import type { Database } from "../storage/database.ts";
import { nextOrderNumbers } from "../storage/orders.ts";
import type { Deps } from "./deps.ts";

/** So many numbers are drawn at once; those that a process takes with it stay unused. */
const DRAWN_AT_ONCE = 64;

interface Stock {
  readonly numbers: bigint[];
  readonly key: Uint8Array;
}

const stocks = new WeakMap<Database, Stock>();
const drawing = new WeakMap<Database, Promise<void>>();

/** The id of a new order. Numbers are never reused, so neither are ids. */
export async function takeOrderId({
  database,
  environment,
}: Pick<Deps, "database" | "environment">): Promise<bigint> {
  for (;;) {
    const stock = stocks.get(database);
    const number = stock?.numbers.shift();
    if (stock && number !== undefined) return permuted(environment, number, stock.key);
    // Those who need one at the same moment wait for the same draw.
    await (drawing.get(database) ?? draw(database));
  }
}

function draw(database: Database): Promise<void> {
  const drawn = nextOrderNumbers(database, DRAWN_AT_ONCE)
    .then(({ numbers, key }) => void stocks.set(database, { numbers: [...numbers], key }))
    .finally(() => drawing.delete(database));
  drawing.set(database, drawn);
  return drawn;
}

function permuted(environment: Deps["environment"], number: bigint, key: Uint8Array): bigint {
  const mix = (round: bigint, half: bigint): bigint =>
    BigInt(createHmac("sha256", key).update(`${round}:${half}`).digest().readUInt32BE(0));
  return orderIdOf(number, { environment, mix });
}
