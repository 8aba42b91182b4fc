import type { IncomingMessage } from "node:http";
import { WIRE_LIMITS } from "@exchange/contract";
import type { RawHeaders } from "./answering.ts";

const CONTENT_TYPES = new Set(["application/json", "application/json; charset=utf-8"]);

/** The router ends the connection of a client whose body it cannot read. */
export const CLOSING: RawHeaders = ["connection", "close"];

/** How long the body is; undefined for anything but JSON of a usual length, to be answered anew. */
export function plainJsonLength({ headers }: IncomingMessage): number | undefined {
  if (!CONTENT_TYPES.has(headers["content-type"] ?? "")) return undefined;
  if (headers["transfer-encoding"] !== undefined || headers["idempotency-key"] !== undefined) {
    return undefined;
  }
  const length = Number(headers["content-length"]);
  return length > 0 && length <= WIRE_LIMITS.requestBodyBytesMax ? length : undefined;
}

/** Calls with the whole body as soon as its last byte is there; never when it does not come. */
export function readBody(
  request: IncomingMessage,
  length: number,
  then: (bytes: Buffer) => void,
): void {
  const parts: Buffer[] = [];
  let left = length;
  request.on("data", (part: Buffer) => {
    left -= part.length;
    parts.push(part);
    if (left === 0) then(parts.length === 1 ? part : Buffer.concat(parts));
  });
}
