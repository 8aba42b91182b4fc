import { createHmac } from "node:crypto";
import { orderIdOf } from "../../domain/orders/order-id.ts";
import { nextOrderNumbers } from "../../storage/orders/orders.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";

/** So many numbers are drawn at once; those that a process takes with it stay unused. */
const DRAWN_AT_ONCE = 64;

interface Stock {
  readonly numbers: bigint[];
  readonly key: Uint8Array;
  readonly hour: number;
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
    if (stock && number !== undefined) return idOf(environment, number, stock);
    // Those who need one at the same moment wait for the same draw.
    await (drawing.get(database) ?? draw(database));
  }
}

function draw(database: Database): Promise<void> {
  const drawn = nextOrderNumbers(database, DRAWN_AT_ONCE)
    .then(({ numbers, key, hour }) => {
      stocks.set(database, { numbers: [...numbers], key, hour });
    })
    .finally(() => drawing.delete(database));
  drawing.set(database, drawn);
  return drawn;
}

function idOf(environment: Deps["environment"], number: bigint, { key, hour }: Stock): bigint {
  const mix = (round: bigint, half: bigint): bigint =>
    BigInt(createHmac("sha256", key).update(`${round}:${half}`).digest().readUInt32BE(0));
  return orderIdOf(number, { environment, hour: BigInt(hour), mix });
}
