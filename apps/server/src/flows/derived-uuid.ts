import { createHash } from "node:crypto";
import type { Order } from "../domain/orders/order.ts";

/** The parts of an order that name its payments. They are the same after a restore. */
export type NamedOrder = Pick<Order, "id" | "merchantId" | "createdAt">;

/**
 * Returns the id of a fact. The same fact has the same id, even after a restore from a backup. The rails deduplicate
 * by these ids, so a payment that a restored database has forgotten is not made again. The id is a UUID version 8
 * (docs/decisions/0053-derive-ids-of-payments-from-facts.md). It begins with the milliseconds, so that rows of one
 * time are adjacent in an index. A SHA-256 digest fills the other 74 bits.
 */
export function derivedUuid(at: Date, fact: readonly (string | number | bigint)[]): string {
  const time = at.getTime().toString(16).padStart(12, "0");
  const digest = createHash("sha256")
    .update(JSON.stringify(fact.map(String)))
    .digest();
  const hash = digest.toString("hex");
  const variant = ((digest.readUInt8(2) & 0x3f) | 0x80).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `8${hash.slice(0, 3)}`,
    `${variant}${hash.slice(6, 8)}`,
    hash.slice(8, 20),
  ].join("-");
}

/** Returns the milliseconds at the beginning of a derived id. */
export const timeOfDerivedUuid = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
