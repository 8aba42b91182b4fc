import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CATALOGUE_DIRECTORY, shippedCatalogue } from "../../testing/catalogue.ts";
import { makeDatabase } from "../../testing/database.ts";
import type { Database } from "../postgres/database.ts";
import { CatalogueError, loadCatalogue, readCatalogue } from "./catalogue.ts";

let database: Database;
let folder: string;

beforeAll(async () => {
  database = await makeDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "exchange-catalogue-"));
  await cp(CATALOGUE_DIRECTORY, folder, { recursive: true });
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

type Item = Record<string, unknown>;

async function edit(name: string, change: (items: Item[]) => Item[]): Promise<void> {
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, "utf8")) as Item[])));
}

const load = () => loadCatalogue(database, folder);

// The tests run in order: each uses the database as the one before left it.

test("the first load writes all items, and they read back as in the files", async () => {
  expect((await load()).changed).toBeGreaterThan(400);
  const [stored, shipped] = await Promise.all([readCatalogue(database), shippedCatalogue()]);
  expect(stored.currencies).toEqual(shipped.currencies);
  expect(stored.networks).toEqual(shipped.networks);
  expect(stored.paymentMethods).toEqual(shipped.paymentMethods);
  expect(stored.deliveryMethods).toEqual(shipped.deliveryMethods);
  expect(stored.countries).toEqual(shipped.countries);
  expect(stored.pricingRules).toEqual(shipped.pricingRules);
});

test("a load of unchanged files writes nothing and does not change the version", async () => {
  const { version } = await readCatalogue(database);
  expect(await load()).toEqual({ changed: 0 });
  expect((await readCatalogue(database)).version).toBe(version);
});

test("one changed line writes one row and raises the version", async () => {
  const { version } = await readCatalogue(database);
  await edit("fiat-currencies.json", (items) =>
    items.map((item) => (item["code"] === "CAD" ? { ...item, perEuro: "1.7" } : item)),
  );
  expect(await load()).toEqual({ changed: 1 });
  const after = await readCatalogue(database);
  expect(after.version).toBe(version + 1n);
  expect(after.currencyById(124)?.perEuro).toEqual({ units: 17n, scale: 1 });
});

test("an item that left the files is disabled, still found by id, and enabled when it returns", async () => {
  const whole = await readFile(path.join(folder, "payment-methods.json"), "utf8");
  await edit("payment-methods.json", (items) => items.filter((it) => it["reference"] !== "blik"));
  await load();
  const blik = (await readCatalogue(database)).paymentMethodByReference("blik");
  expect(blik?.enabled).toBe(false);
  await writeFile(path.join(folder, "payment-methods.json"), whole);
  await load();
  const again = (await readCatalogue(database)).paymentMethodByReference("blik");
  expect(again).toEqual({ ...blik, enabled: true });
});

test("the mark of a coin's default network moves in one load", async () => {
  const marked = (reference: string) => (items: Item[]) =>
    items.map((it) =>
      it["code"] === "USDC" ? { ...it, defaultNetwork: it["reference"] === reference } : it,
    );
  await edit("crypto-currencies.json", marked("usdc-base"));
  expect(await load()).toEqual({ changed: 2 });
  expect((await readCatalogue(database)).currencyByCodeOrReference("usdc")?.networkCode).toBe(
    "base",
  );
  await edit("crypto-currencies.json", marked("usdc-ethereum"));
  await load();
});

test("a load is refused as a whole when an id changed its reference, or a reference its id", async () => {
  const { version } = await readCatalogue(database);
  const whole = await readFile(path.join(folder, "payment-methods.json"), "utf8");
  await edit("payment-methods.json", (items) =>
    items.map((item) => {
      if (item["reference"] === "blik") return { ...item, id: 900 };
      return item["reference"] === "upi" ? { ...item, reference: "upi_two", name: "New" } : item;
    }),
  );
  await edit("delivery-methods.json", (items) =>
    items.map((item) => (item["rail"] === "upi" ? { ...item, rail: "upi_two" } : item)),
  );
  const outcome: unknown = await load().catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(CatalogueError);
  expect(String(outcome)).toMatch(/"blik" has id 12 in the database and 900 here/);
  expect(String(outcome)).toMatch(/Id 9 is "upi" in the database and "upi_two" here/);
  expect((await readCatalogue(database)).version).toBe(version);
  await writeFile(path.join(folder, "payment-methods.json"), whole);
});

test("two loads at once both succeed", async () => {
  await cp(CATALOGUE_DIRECTORY, folder, { recursive: true });
  const results = await Promise.all([load(), load(), load()]);
  expect(results.filter(({ changed }) => changed === 0).length).toBeGreaterThanOrEqual(2);
});
