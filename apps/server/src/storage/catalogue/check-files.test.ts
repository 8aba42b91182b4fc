import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { CATALOGUE_DIRECTORY, shippedCatalogue } from "../../testing/catalogue.ts";
import { crossCheck } from "./check-files.ts";
import { CatalogueError, readCatalogueFiles } from "./read-files.ts";

describe("the shipped catalogue", () => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await shippedCatalogue();
  }, 60_000);

  test("has no problem", async () => {
    expect(crossCheck(await readCatalogueFiles(CATALOGUE_DIRECTORY))).toEqual([]);
  });

  test("has at least the promised numbers of items", () => {
    const count = (kind: string) => catalogue.currencies.filter((it) => it.kind === kind).length;
    expect(count("fiat")).toBeGreaterThanOrEqual(30);
    expect(count("crypto")).toBeGreaterThanOrEqual(30);
    expect(catalogue.networks.length).toBeGreaterThanOrEqual(8);
    expect(catalogue.countries.length).toBe(249);
  });

  test("has the decimals of ISO 4217", () => {
    const ours = catalogue.currencies.filter(({ kind }) => kind === "fiat");
    const wrong = ours.filter(({ code, decimals }) => {
      const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
      // Intl differs from ISO 4217 for currencies whose cents are no longer in use.
      const shown = format.resolvedOptions().maximumFractionDigits;
      return decimals !== shown && !UNUSED_CENTS.has(code);
    });
    expect(wrong.map(({ code }) => code)).toEqual([]);
  });

  test("resolves a shared code to the coin's default network, and references in any case", () => {
    expect(catalogue.currencyByCodeOrReference("usdt")?.reference).toBe("usdt-ethereum");
    expect(catalogue.currencyByCodeOrReference("USDT-Tron")?.networkCode).toBe("tron");
    expect(catalogue.currencyByCodeOrReference("Cad")?.id).toBe(124);
    expect(catalogue.currencyByCodeOrReference("nope")).toBeUndefined();
  });
});

const UNUSED_CENTS = new Set(["HUF", "IDR", "COP", "TWD", "RSD", "PKR", "LKR", "CRC", "TZS"]);

describe("files with faults", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "exchange-catalogue-"));
    await cp(CATALOGUE_DIRECTORY, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  type Item = Record<string, unknown>;

  async function edit(name: string, change: (items: Item[]) => void): Promise<void> {
    const file = path.join(folder, name);
    const items = JSON.parse(await readFile(file, "utf8")) as Item[];
    change(items);
    await writeFile(file, JSON.stringify(items));
  }

  /** Returns every problem as the operator reads it. */
  async function problems(): Promise<string[]> {
    try {
      const found = crossCheck(await readCatalogueFiles(folder));
      return found.map(({ path: place, sentence }) => `${place}: ${sentence}`);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return error.problems.map(({ path: place, sentence }) => `${place}: ${sentence}`);
    }
  }

  test("are all reported at once, each with its path", async () => {
    await edit("pricing.json", (items) => Object.assign(items[2] ?? {}, { minEuro: 5 }));
    await edit("networks.json", (items) => Object.assign(items[0] ?? {}, { memo: "maybe", x: 1 }));
    await writeFile(path.join(folder, "countries.json"), "[");
    const found = await problems();
    expect(found).toHaveLength(4);
    expect(found.join("\n")).toMatch(/pricing\.json\[2\]\.minEuro: .*string/);
    expect(found.join("\n")).toMatch(/networks\.json\[0\]\.memo: .*none, optional, required/);
    expect(found.join("\n")).toMatch(/networks\.json\[0\]: .*\(x\)/);
    expect(found.join("\n")).toMatch(/countries\.json: The file is not valid JSON/);
  });

  const FAULTS: readonly [string, string, (items: Item[]) => void, RegExp][] = [
    [
      "an id twice",
      "fiat-currencies.json",
      (it) => Object.assign(it[1] ?? {}, { id: 840 }),
      /840 is used by an earlier item too/,
    ],
    [
      "an id of both kinds",
      "crypto-currencies.json",
      (it) => Object.assign(it[0] ?? {}, { id: 840 }),
      /fiat currency's id/,
    ],
    [
      "an unknown network",
      "crypto-currencies.json",
      (it) => Object.assign(it[0] ?? {}, { network: "nope" }),
      /no network "nope"/,
    ],
    [
      "two default networks",
      "crypto-currencies.json",
      (it) => Object.assign(it[2] ?? {}, { defaultNetwork: true }),
      /ETH has 2 default networks.*"defaultNetwork": true .* enabled item .* false/,
    ],
    [
      "a reference that is another's code",
      "crypto-currencies.json",
      (it) => Object.assign(it[0] ?? {}, { reference: "eth" }),
      /"eth"/,
    ],
    [
      "a contract with a broken checksum",
      "crypto-currencies.json",
      (it) =>
        Object.assign(it.find(({ reference }) => reference === "dai") ?? {}, {
          contract: "0x6B175474E89094C44Da98b954EedeAC495271d0f",
        }),
      /not an address on Ethereum/,
    ],
    [
      "more decimals shown than kept",
      "crypto-currencies.json",
      (it) =>
        Object.assign(it.find(({ reference }) => reference === "xrp") ?? {}, {
          publishedDecimals: 8,
        }),
      /must not be above decimals/,
    ],
    [
      "more digits than leave the service",
      "crypto-currencies.json",
      (it) =>
        Object.assign(it.find(({ reference }) => reference === "pepe") ?? {}, {
          publishedDecimals: 8,
        }),
      /too many digits of PEPE/,
    ],
    [
      "an unknown country",
      "payment-methods.json",
      (it) => Object.assign(it[0] ?? {}, { countries: ["QQ"] }),
      /no country or area "QQ"/,
    ],
    [
      "an unknown currency",
      "delivery-methods.json",
      (it) => Object.assign(it[1] ?? {}, { currencies: ["QQQ"] }),
      /no fiat currency "QQQ"/,
    ],
    [
      "an unknown rail",
      "delivery-methods.json",
      (it) => Object.assign(it[1] ?? {}, { rail: "nope" }),
      /no payment method "nope"/,
    ],
    [
      "an unknown field",
      "delivery-methods.json",
      (it) => Object.assign(it[1] ?? {}, { requiredFields: ["nope"] }),
      /no field "nope"/,
    ],
    [
      "days the wrong way round",
      "delivery-methods.json",
      (it) => Object.assign(it[1] ?? {}, { days: [3, 1] }),
      /the minimum first/,
    ],
    [
      "a pattern that is none",
      "payout-fields.json",
      (it) => Object.assign(it[0] ?? {}, { pattern: "(" }),
      /Invalid regular expression/,
    ],
    [
      "a minimum above the maximum",
      "pricing.json",
      (it) => Object.assign(it[0] ?? {}, { minEuro: "20000" }),
      /minimum is above/,
    ],
    ["no rule for everything", "pricing.json", (it) => it.shift(), /rule without selectors/],
    [
      "a rule for an unknown method",
      "pricing.json",
      (it) => Object.assign(it[5] ?? {}, { paymentMethod: "nope" }),
      /no payment method "nope"/,
    ],
    [
      "a rule for an unknown currency",
      "pricing.json",
      (it) => Object.assign(it[7] ?? {}, { currency: "nope" }),
      /no currency "nope"/,
    ],
    [
      "nothing for one euro",
      "fiat-currencies.json",
      (it) => Object.assign(it[0] ?? {}, { perEuro: "0" }),
      /above 0/,
    ],
  ];
  test.each(FAULTS)("%s is a problem", async (_what, name, change, sentence) => {
    await edit(name, change);
    expect((await problems()).join("\n")).toMatch(sentence);
  });
});
