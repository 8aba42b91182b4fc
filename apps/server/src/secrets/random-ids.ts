import { randomBytes, randomUUID } from "node:crypto";
import type { IdSource } from "../domain/ports/id-source.ts";

/** Ids and random bytes from the operating system. */
export const randomIds: IdSource = {
  uuid: () => randomUUID(),
  orderedUuid: () => orderedUuid(Date.now(), randomUUID()),
  bytes: (count) => randomBytes(count),
};

/** UUID version 7 (RFC 9562): the milliseconds, then 74 random bits. */
function orderedUuid(nowMs: number, random: string): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
