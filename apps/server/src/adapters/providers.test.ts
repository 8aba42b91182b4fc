import { existsSync, readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import { shippedCatalogue } from "../testing/catalogue.ts";
import { type MarketChoices, marketProblems } from "./market/options.ts";
import { BOOK_AGE_MS_MAX } from "./market/poll-venue.ts";
import { marketName, type Venue } from "./market/venue.ts";
import { pricedCode } from "./market/views.ts";
import { REFERENCES, VENUES } from "./providers.ts";

// A venue is complete when a rails file can name it as it is, and its pages say what it is.

const fileOf = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const venues = Object.values(VENUES) as readonly Venue[];

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await shippedCatalogue();
});

test("every folder with a venue.ts has a row in VENUES", () => {
  const folders = readdirSync(new URL(".", import.meta.url)).filter(
    (name) => name !== "market" && existsSync(new URL(`${name}/venue.ts`, import.meta.url)),
  );
  const without = folders.filter((name) => !Object.hasOwn(VENUES, name));
  expect(without, "add a row to VENUES in providers.ts for each").toEqual([]);
});

test("docs/operating/prices.md has a row for every venue, in the order of VENUES", () => {
  const page = fileOf("../../../../docs/operating/prices.md");
  const table = page.split("### The venues")[1]?.split("\n#")[0] ?? "";
  const rows = [...table.matchAll(/^\| `([a-z0-9]+)` \|/gm)].map(([, name]) => name);
  expect(rows, 'the table under "The venues"').toEqual(Object.keys(VENUES));
});

describe.each(venues.map((venue) => [venue.name, venue] as const))("%s", (_name, venue) => {
  test("has the name of its row", () => {
    expect(VENUES[venue.name as keyof typeof VENUES]).toBe(venue);
  });

  test("has an address without a path, in lower case", () => {
    expect(venue.url).toMatch(/^https:\/\//);
    expect(venue.url).toBe(new URL(venue.url).origin);
    expect(venue.url).not.toContain(".example");
  });

  test("lists one market for each currency, in codes of the catalogue", () => {
    const codes = venue.markets.map(pricedCode);
    expect(codes, "the currency that each market prices").toEqual([...new Set(codes)]);
    const unknown = venue.markets
      .flatMap(({ base, quote }) => [base, quote])
      .filter((code) => catalogue.currenciesByCode(code).length === 0);
    expect(unknown, "codes that the catalogue lacks").toEqual([]);
  });

  test("can be chosen as it is: its round is shorter than a price is fresh", () => {
    const other = venues.find((one) => one !== venue)?.name ?? "";
    const choices: MarketChoices = {
      kind: "market",
      venues: [{ kind: venue.name, markets: venue.markets.map(marketName) }, { kind: other }],
    };
    const parts = { venues: VENUES, references: REFERENCES };
    const problems = marketProblems(choices, parts, { environment: "prod", processes: 1 });
    expect(problems.map(({ sentence }) => sentence)).toEqual([]);
  });

  test("reads every book again before the last one is too old", () => {
    expect(venue.book.everyMs * venue.markets.length).toBeLessThan(BOOK_AGE_MS_MAX);
  });

  test("takes half of its documented limit at most", () => {
    const { best, book, requestsPerSecond } = venue;
    expect(1_000 / best.everyMs + 1_000 / book.everyMs).toBeLessThanOrEqual(requestsPerSecond / 2);
  });

  test("has a README without the generator's words", () => {
    expect(fileOf(`${venue.name}/README.md`)).not.toMatch(/DOCUMENTS|WHAT IT DOES/);
  });
});
