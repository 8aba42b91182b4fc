import { createHmac } from "node:crypto";
import { orderIdOf } from "../../domain/orders/order-id.ts";
import { nextOrderNumbers } from "../../storage/orders/orders.ts";
import type { Database } from "../../storage/postgres/database.ts";

/** Order numbers are reserved in blocks; a process that ends wastes the rest of its block. */
const BLOCK_SIZE = 64;

type Environment = Parameters<typeof orderIdOf>[1]["environment"];

export interface OrderIds {
  /** Returns the id of a new order. Numbers are never reused, so neither are ids. */
  take(): Promise<bigint>;
}

/** Builds ids from a reserved block of numbers, which is refilled when it is empty. */
export function makeOrderIds(database: Database, environment: Environment): OrderIds {
  const ids: bigint[] = [];
  let refilling: Promise<void> | undefined;
  const refill = async (): Promise<void> => {
    const { numbers, key, hour } = await nextOrderNumbers(database, BLOCK_SIZE);
    const mix = (round: bigint, half: bigint): bigint =>
      BigInt(createHmac("sha256", key).update(`${round}:${half}`).digest().readUInt32BE(0));
    for (const number of numbers) {
      ids.push(orderIdOf(number, { environment, hour: BigInt(hour), mix }));
    }
  };
  return {
    take: async () => {
      for (;;) {
        const id = ids.shift();
        if (id !== undefined) return id;
        // Callers that find the block empty at the same time wait for one refill.
        refilling ??= refill().finally(() => {
          refilling = undefined;
        });
        await refilling;
      }
    },
  };
}
