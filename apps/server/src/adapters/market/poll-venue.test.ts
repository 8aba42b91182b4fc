import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import type { HttpClient } from "../client.ts";
import { kraken } from "../kraken/venue.ts";
import { type PolledVenue, pollVenue } from "./poll-venue.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 8);
const BTC = { base: "BTC", quote: "USD" };
const fixture = (file: string): string =>
  readFileSync(new URL(`../kraken/fixtures/${file}`, import.meta.url), "utf8");

/** Answers every request from a cache that states this age. */
const cacheOf = (cachedForMs: number): HttpClient => ({
  get: async (url) => ({
    status: 200,
    text: fixture(url.includes("Depth") ? "book.json" : "best.json"),
    askedAtMs: NOW_MS,
    retryAfter: undefined,
    cachedForMs,
  }),
  close: async () => {},
});

let polled: PolledVenue | undefined;
afterEach(() => polled?.stop());

async function pollThrough(client: HttpClient): Promise<PolledVenue> {
  const configured = {
    venue: kraken,
    url: kraken.url,
    markets: [BTC],
    bestEveryMs: 60_000,
    bookEveryMs: 60_000,
  };
  const context = { client, now: () => NOW_MS, freshMs: 15_000, warn: () => {} };
  const venue = pollVenue(configured, context);
  polled = venue;
  await expect.poll(() => venue.health().state).toBe("sound");
  await expect.poll(() => venue.best(BTC)).toBeDefined();
  return venue;
}

test("the age that a cache states makes a price and a book older", async () => {
  const venue = await pollThrough(cacheOf(20_000));
  expect(found(venue.best(BTC)).atMs).toBe(NOW_MS - 20_000);
  await expect.poll(() => venue.book(BTC)?.atMs).toBe(NOW_MS - 20_000);
});
