import { randomBytes, randomUUID } from "node:crypto";
import type { IdSource } from "../domain/ports/id-source.ts";

/** Ids and randomness of the operating system. */
export const randomIds: IdSource = {
  uuid: () => randomUUID(),
  bytes: (count) => randomBytes(count),
};
