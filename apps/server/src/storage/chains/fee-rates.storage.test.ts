import { afterAll, beforeAll, expect, test } from "vitest";
import { startFeeMeter } from "../../chains/fee-meter.ts";
import { makeDatabase } from "../../testing/database.ts";
import type { Database } from "../postgres/database.ts";
import { beginMeasurement, listMeasuredRates, listRateRows, recordRate } from "./fee-rates.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

test("of workers that begin at the same time, one measures in a period", async () => {
  const begin = (everyMs: number) => () => beginMeasurement(database, "ethereum", everyMs);
  const first = await Promise.all(Array.from({ length: 8 }, begin(60_000)));
  expect(first.filter(Boolean)).toEqual([true]);
  expect(await begin(60_000)()).toBe(false);
  const next = await Promise.all(Array.from({ length: 8 }, begin(0)));
  expect(next.every(Boolean)).toBe(true);
  // Nothing was measured yet.
  expect(await listMeasuredRates(database)).toEqual([]);
});

test("a rate is read to the unit, with its age", async () => {
  const rate = 10n ** 37n + 1n;
  await beginMeasurement(database, "base", 0);
  await recordRate(database, "base", { rate });
  const [row, ...others] = await listMeasuredRates(database);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ networkCode: "base", rate });
  expect(row).not.toHaveProperty("byteRate");
  expect(row?.ageMs).toBeGreaterThanOrEqual(0);
  expect(row?.ageMs).toBeLessThan(60_000);
});

test("a rate for bytes is read with the other, and a measurement without one forgets it", async () => {
  const byteRate = 10n ** 37n + 3n;
  const own = async () =>
    (await listMeasuredRates(database)).find(({ networkCode }) => networkCode === "tron");
  await beginMeasurement(database, "tron", 0);
  await recordRate(database, "tron", { rate: 100n, byteRate });
  expect(await own()).toMatchObject({ rate: 100n, byteRate });
  await recordRate(database, "tron", { rate: 101n });
  expect(await own()).not.toHaveProperty("byteRate");
});

test("a rate for tokens is read with the others", async () => {
  const tokenRate = 10n ** 37n + 5n;
  await beginMeasurement(database, "solana", 0);
  await recordRate(database, "solana", { rate: 1n, tokenRate, byteRate: 2n });
  const rows = await listMeasuredRates(database);
  const own = rows.find(({ networkCode }) => networkCode === "solana");
  expect(own).toMatchObject({ rate: 1n, tokenRate, byteRate: 2n });
});

test("a measurement that fails keeps the rate before it, and says why", async () => {
  const rates = [7n, undefined, undefined];
  const market = {
    readRates: () => {
      const rate = rates.shift();
      return rate === undefined
        ? Promise.reject(new Error("fees: 2 endpoints must agree, 0 did"))
        : Promise.resolve({ rate });
    },
    close: () => Promise.resolve(),
  };
  const log = { warn: () => {} };
  const meter = startFeeMeter({ database, log, networkCode: "polygon", market, everyMs: 10 });
  const row = async () =>
    (await listRateRows(database)).find(({ networkCode }) => networkCode === "polygon");
  await expect
    .poll(row)
    .toMatchObject({ rate: "7", problem: "fees: 2 endpoints must agree, 0 did" });
  await meter.stop();
});
