import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { makeCall } from "./calls/call.ts";
import type { Resources } from "./generated/resources.ts";
import { type ExchangeOptions, readOptions } from "./options.ts";
import { makeResources } from "./resources.ts";

/** The service's merchant endpoints by resource. Printing it reveals no credential. */
export type Exchange = Resources;

const sleep = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
};

/**
 * Creates a client of one installation for one merchant. Create it once: it has no state besides its
 * options, and connections are shared. Use it on your server only, never in a browser.
 *
 * Throws a TypeError for invalid options. Calls reject with an `ExchangeError`.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const call = makeCall(readOptions(options), {
    nowMs: Date.now,
    random: Math.random,
    randomKey: randomUUID,
    sleep,
  });
  return Object.freeze(makeResources(call));
}
