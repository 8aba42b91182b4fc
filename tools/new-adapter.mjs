// `npm run new-adapter -- NAME` makes the folder of a trading venue, with the file names that every venue has.
// CONTRIBUTING.md, "Add a rate source", says what to write into them.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./checks/tracked.mjs";

const LEVELS = (best, next) => [
  [best, "1.5"],
  [next, "30"],
];

/** Returns the files of a venue by their path in its folder. */
function adapterFiles(name) {
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    "README.md": `# ${name}\n\nRead from DOCUMENTS. Not run against the live venue.\n\n- WHAT IT DOES DIFFERENTLY\n`,
    "venue.ts": venueSource(name),
    "fixtures/book.json": json({
      time: "2026-11-22T07:59:59.600Z",
      bids: LEVELS("96005.1", "95990"),
      asks: LEVELS("96006.2", "96020"),
    }),
    "fixtures/best.json": json([
      { market: "BTCUSD", bid: "96005.1", ask: "96006.2", time: "2026-11-22T07:59:59.600Z" },
    ]),
    "fixtures/faults.json": json([
      fault("an unknown market", { status: 404, body: { error: "no such market" } }, "market"),
      { ...fault("throttled", { status: 429, body: {} }, "venue"), rests: true, says: "too often" },
      { ...fault("a page of HTML", { text: "<html></html>" }, "venue"), says: "not JSON" },
    ]),
  };
}

const fault = (name, answer, scope) => ({ name, ...answer, scope, says: "404" });

const venueSource = (name) => `import {
  asObject,
  type Best,
  faultOfStatus,
  type Market,
  marketsIn,
  readBook,
  readNumber,
  type Venue,
  VenueFault,
} from "../market/venue.ts";

// README.md lists what this venue does differently.

const marketOf = ({ base, quote }: Market): string => base + quote;

function readTime(time: unknown): number {
  const atMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(atMs)) throw new VenueFault("an answer without a time");
  return atMs;
}

export const ${name}: Venue = {
  name: "${name}",
  url: "https://API.${name}.EXAMPLE",
  markets: marketsIn("USD", "BTC ETH"),
  requestsPerSecond: 10,
  best: {
    atOnce: 50,
    everyMs: 2_000,
    path: (markets) => \`/PRICES?markets=\${markets.map(marketOf).join(",")}\`,
    read: (body, asked) => {
      if (!Array.isArray(body)) throw new VenueFault("a list of prices that is not a list");
      const rows = new Map(body.map((row: unknown) => [asObject(row)["market"], asObject(row)]));
      return asked.flatMap((market): readonly Best[] => {
        const row = rows.get(marketOf(market));
        if (row === undefined) return [];
        const [bid, ask] = [readNumber(row["bid"]), readNumber(row["ask"])];
        return [{ market, bid, ask, atMs: readTime(row["time"]) }];
      });
    },
  },
  book: {
    everyMs: 1_000,
    path: (market) => \`/BOOK/\${marketOf(market)}\`,
    read: (body) => {
      const answer = asObject(body);
      return readBook(answer, readTime(answer["time"]));
    },
  },
  faultOf: (status) => {
    if (status === 404) return new VenueFault("HTTP 404", { scope: "market" });
    return faultOfStatus(status);
  },
};
`;

/** Makes the folder. Returns the sentences to print, and whether it was made. */
export function makeAdapter(name, adapters) {
  if (!/^[a-z][a-z0-9]{1,30}$/.test(name)) {
    const given = name === "" ? "The name of the venue is missing." : `"${name}" is not a name.`;
    return { made: false, lines: [`${given} Use lower-case letters and digits, such as gemini.`] };
  }
  const folder = path.join(adapters, name);
  if (existsSync(folder)) {
    return { made: false, lines: [`${folder} exists. Choose another name, or change its files.`] };
  }
  const files = Object.entries(adapterFiles(name));
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return {
    made: true,
    lines: [
      ...files.map(([file]) => `made ${path.join(folder, file)}`),
      'Next: CONTRIBUTING.md, "Add a rate source". Replace the words in capitals, and add',
      `  a row to VENUES in adapters/providers.ts: import { ${name} } from "./${name}/venue.ts";`,
      "  a row to PATHS in adapters/conformance.test.ts",
      '  a row to "The venues" in docs/operating/prices.md',
      "The tests name each part that is missing:",
      "  npm test -- --project unit adapters/conformance adapters/providers",
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const adapters = path.join(ROOT, "apps/server/src/adapters");
  const { made, lines } = makeAdapter(process.argv[2] ?? "", adapters);
  for (const line of lines) (made ? console.log : console.error)(line);
  process.exitCode = made ? 0 : 2;
}
