import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Config, readConfig } from "../../config.ts";
import { StartError } from "../start-error.ts";
import { checkRates, openRates } from "./open-rates.ts";
import { RAILS_EXAMPLE, readRailsFile } from "./rails-file.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-rails-"));
const path = join(folder, "rails.json");
afterAll(() => rmSync(folder, { recursive: true }));

const compareText = (a = "", b = ""): number => (a < b ? -1 : 1);

type Place = Parameters<typeof readRailsFile>[1];
const PROD: Place = { environment: "prod", processes: 1 };
const DEV: Place = { environment: "dev", processes: 1 };

/** Returns the problems of a file, one a line, without the head and the foot of the message. */
function problemsOf(content: unknown, place: Place = PROD): readonly string[] {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  try {
    readRailsFile(path, place);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    expect(error.message).toContain(path);
    return error.message
      .split("\n")
      .slice(1, -1)
      .map((line) => line.trim());
  }
}

const VENUES = [{ kind: "kraken" }, { kind: "coinbase" }, { kind: "bitstamp" }];
const market = (changes: object) => ({ prices: { kind: "market", venues: VENUES, ...changes } });

test("the example in the errors is accepted everywhere", () => {
  for (const environment of ["dev", "staging", "prod"] as const) {
    expect(problemsOf(RAILS_EXAMPLE, { environment, processes: 1 })).toEqual([]);
  }
});

test("a file without prices is accepted, for the rails that come later", () => {
  expect(problemsOf({})).toEqual([]);
});

test("every problem is reported at once, with its place", () => {
  const problems = problemsOf(
    market({
      venues: [{ kind: "kraken", url: 7 }, { kind: "mtgox" }],
      quorum: 1,
      fresh: 15,
      pegs: ["USD"],
      reference: { kind: "ecb", markupBasisPoints: "30" },
    }),
  );
  expect(problems.map((line) => line.split(": ")[0]).toSorted(compareText)).toEqual([
    "prices",
    "prices.pegs[0]",
    "prices.quorum",
    "prices.reference.markupBasisPoints",
    "prices.venues[0].url",
    "prices.venues[1].kind",
  ]);
  const text = problems.join("\n");
  expect(text).toContain("must be one of kraken, coinbase, bitstamp, binance");
  expect(text).toContain("(fresh); remove it or correct its spelling");
});

test.each<[string, unknown, string, Place?]>([
  ["text that is not JSON", "{", "the file: It is not valid JSON"],
  ["a list", [], "the file: Write an object with prices, signer, chains."],
  ["nothing", "null", "the file: Write an object with prices, signer, chains."],
  [
    "an unknown rail",
    { rates: {} },
    "rates: There is no such rail. The rails are prices, signer, chains.",
  ],
  ["a rail of a prototype", { constructor: {} }, "constructor: There is no such rail."],
  ["no kind", { prices: {} }, "prices.kind: The value is missing and is not a provider."],
  ["an unknown kind", { prices: { kind: "oracle" } }, "Use one of market, sandbox."],
  ["prices that are null", { prices: null }, "prices.kind: "],
  ["an empty signer", { signer: {} }, "signer: The member socket is missing. Add it."],
  [
    "a signer with relative paths",
    { signer: { socket: "signer.sock", releaseKeyFile: "/release.key", installation: "shop-1" } },
    "signer.socket: The value must be an absolute path.",
  ],
  [
    "a signer with an unknown member",
    { signer: { socket: "/s", releaseKeyFile: "/r", installation: "shop-1", key: "x" } },
    "signer: There is no member key.",
  ],
  [
    "the sandbox in prod",
    { prices: { kind: "sandbox" } },
    "prices.kind: sandbox is refused when EXCHANGE_ENV is prod.",
  ],
  [
    "a sandbox in staging that follows the market",
    { prices: { kind: "sandbox", follow: { venues: VENUES } } },
    "prices.follow: The sandbox follows the market only in dev.",
    { environment: "staging", processes: 1 },
  ],
  [
    "a venue twice",
    market({ venues: [...VENUES, { kind: "kraken", url: "https://mirror.example" }] }),
    "prices.venues[3].kind: kraken is listed twice. A venue counts once",
  ],
  [
    "a quorum above the venues",
    market({ quorum: 4 }),
    "prices.quorum: The value is 4, and there are 3",
  ],
  [
    "plain HTTP in prod",
    market({ venues: [{ kind: "kraken", url: "http://127.0.0.1:9000" }, { kind: "coinbase" }] }),
    "prices.venues[0].url: The value http://127.0.0.1:9000 is plain HTTP",
  ],
  [
    "plain HTTP to another machine in dev",
    market({ venues: [{ kind: "kraken", url: "http://kraken.example" }, { kind: "coinbase" }] }),
    "prices.venues[0].url: The value http://kraken.example is plain HTTP",
    DEV,
  ],
  [
    "a host that only begins like this machine",
    market({ reference: { kind: "ecb", url: "http://127.0.0.1.evil.example" } }),
    "prices.reference.url: The value http://127.0.0.1.evil.example is plain HTTP",
    DEV,
  ],
  [
    "a path in a url",
    market({ venues: [{ kind: "kraken", url: "https://a.example/x" }, { kind: "coinbase" }] }),
    "prices.venues[0].url: The value must be an address without a path",
  ],
  [
    "a market that is not one",
    market({ venues: [{ kind: "kraken", markets: ["BTCUSD"] }, { kind: "coinbase" }] }),
    "prices.venues[0].markets[0]: The value BTCUSD is not a market.",
  ],
  [
    "a market between coins",
    market({ venues: [{ kind: "kraken", markets: ["ETH/BTC"] }, { kind: "coinbase" }] }),
    "prices.venues[0].markets[0]: The value ETH/BTC is priced in a currency that has no price",
  ],
  [
    "more processes than a venue can serve",
    market({}),
    "prices.venues[1].bestMilliseconds: Asking coinbase for the prices of 23 markets takes each of 5 processes 24725 ms",
    { environment: "prod", processes: 5 },
  ],
  [
    "more order books than are read before the first is too old",
    market({}),
    "prices.venues[0].bookMilliseconds: Asking kraken for the order books of 31 markets takes each of 3 processes 334800 ms, and they are used for 120000 ms. Do one of these: list at most 11 markets; set bookMilliseconds to 1290 at most if the venue allows it; run fewer processes.",
    { environment: "prod", processes: 3 },
  ],
])("%s is refused", (_what, content, sentence, place = PROD) => {
  expect(problemsOf(content, place).join("\n")).toContain(sentence);
});

test("a file that cannot be read is named, with an example", () => {
  const read = () => readRailsFile(join(folder, "absent.json"), PROD);
  expect(read).toThrow(/EXCHANGE_RAILS_FILE names .*absent\.json, which cannot be read \(ENOENT\)/);
  expect(read).toThrow('"kind": "market"');
});

const configFor = (environment: Config["environment"], railsFile?: string): Config => ({
  ...readConfig({}),
  environment,
  railsFile,
});

test("without a file dev has the sandbox's prices and prod has none", async () => {
  const rates = openRates(configFor("dev"), { warn: () => {} });
  expect(rates?.name).toBe("sandbox");
  await rates?.stop();
  expect(openRates(configFor("prod"), { warn: () => {} })).toBeUndefined();
  expect(checkRates(configFor("prod"))).toBeUndefined();
});

test("no test reaches a live venue, and the sandbox's prices remain where the market is away", async () => {
  writeFileSync(path, JSON.stringify({ prices: { kind: "sandbox", follow: { venues: VENUES } } }));
  const rates = openRates(configFor("dev", path), { warn: () => {} });
  const now = new Date();
  expect(rates?.prices(now)?.evidence("BTC")?.kind).toBe("sandbox");
  await expect
    .poll(() => rates?.health().find(({ source }) => source === "kraken")?.why)
    .toContain("tests reach no other");
  await rates?.stop();
});
