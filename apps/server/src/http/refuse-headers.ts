import type { IncomingMessage } from "node:http";
import { Refusal } from "../flows/refusal.ts";

const TWO_HOSTS = new Refusal("INVALID_INPUT", { message: "The request has two Host headers." });
const NO_HOST = new Refusal("INVALID_INPUT", { message: "The request has no Host header." });
const UNKNOWN_EXPECTATION = new Refusal("INVALID_INPUT", {
  message: "The header Expect accepts 100-continue only.",
});

/** Returns the refusal of a request whose headers HTTP/1.1 does not allow. */
export function refuseHeaders({
  rawHeaders,
  httpVersion,
  headers,
}: IncomingMessage): Refusal | undefined {
  const hosts = countHosts(rawHeaders);
  // Node reads the first one. A proxy in front may have read the other (RFC 9112, section 3.2).
  if (hosts > 1) return TWO_HOSTS;
  if (hosts === 0 && httpVersion === "1.1") return NO_HOST;
  const { expect } = headers;
  const isKnown = expect === undefined || expect.toLowerCase() === "100-continue";
  return isKnown ? undefined : UNKNOWN_EXPECTATION;
}

/** Counts the Host headers. Names and values take turns in the list. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  }
  return count;
}
