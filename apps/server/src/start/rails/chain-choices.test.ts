import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildCatalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { StartError } from "../start-error.ts";
import { type ChainChoices, chainProblems } from "./chain-choices.ts";
import { readChains, withExplorers } from "./open-chains.ts";
import { withFinality } from "./with-finality.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-chains-"));
const file = join(folder, "rails.json");
afterAll(() => rmSync(folder, { recursive: true }));

const XPUB =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt";
const networkOf = (code: string, addressFormat: Network["addressFormat"]): Network => ({
  code,
  name: code,
  addressFormat,
  memo: "none",
  confirmations: 12,
  large: null,
  explorerTransactionUrl: "https://explorer.example/{hash}",
  enabled: true,
});
const networks = [
  networkOf("ethereum", "evm"),
  networkOf("base", "evm"),
  networkOf("bitcoin", "bitcoin"),
];
const catalogue = buildCatalogue({
  version: 1n,
  currencies: [],
  networks,
  paymentMethods: [],
  deliveryMethods: [],
  countries: [],
  pricingRules: [],
});

const GOOD = {
  kind: "evm",
  chainId: 11_155_111,
  endpoints: [
    { name: "own", url: "http://10.0.0.5:8545", trust: "own" },
    { name: "a", url: "https://a.example/rpc" },
    { name: "b", urlFile: "/etc/exchange/b.url" },
  ],
  deposits: { xpub: XPUB },
};

/** Returns the problems, one a line, of a network with these changes. */
const problemsOf = (
  changes: object,
  environment: "dev" | "staging" | "prod" = "staging",
  signer: object = { hasSigner: true },
): readonly string[] =>
  chainProblems(
    { ethereum: { ...GOOD, ...changes } },
    { environment, hasSigner: true, catalogue, ...signer },
  ).map(({ path, sentence }) => `${path}: ${sentence}`);

test("a network with three endpoints is accepted", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ chainId: 1, finality: { tag: "finalized", atLeast: 12 } }, "prod")).toEqual(
    [],
  );
});

const HOT = { wallet: "ethereum-hot", address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" };

test("a hot wallet needs a signer and a right address, and payouts need a hot wallet", () => {
  expect(problemsOf({ hot: HOT, payouts: { feeMaxUnits: "1000" } })).toEqual([]);
  const refused = [
    problemsOf({ hot: HOT }, "staging", { hasSigner: false }),
    problemsOf({ hot: { ...HOT, address: HOT.address.replace("F6F4", "f6F4") } }),
    problemsOf({ payouts: {} }),
    problemsOf({ hot: HOT, payouts: { feeMaxUnits: "0.1" } }),
  ].map((problems) => problems.join());
  expect(refused).toEqual([
    expect.stringMatching(/^\.ethereum\.hot: The file has no member signer/),
    expect.stringMatching(/^\.ethereum\.hot\.address: The checksum of .* is wrong/),
    expect.stringMatching(/^\.ethereum\.payouts: The network has no member hot/),
    expect.stringMatching(/^\.ethereum\.payouts\.feeMaxUnits: The value must be a whole number/),
  ]);
});

test("sweeps need a hot wallet, and the name of the deposit addresses", () => {
  const deposits = { ...GOOD.deposits, wallet: "ethereum-deposits" };
  expect(problemsOf({ hot: HOT, deposits, sweeps: { aboveEuro: 5 } })).toEqual([]);
  expect(problemsOf({ sweeps: {} })).toEqual([
    expect.stringMatching(/^\.ethereum\.sweeps: Sweeps need a hot wallet/),
    expect.stringMatching(/^\.ethereum\.sweeps: The signer must know the deposit addresses/),
  ]);
  const bad = { maxHours: 0, topUpsDayUnits: "0.1", everyDay: true };
  expect(problemsOf({ hot: HOT, deposits, sweeps: bad })).toHaveLength(3);
});

test.each([
  ["an unknown member", { colour: 1 }, /There is no member colour/],
  ["a missing xpub", { deposits: {} }, /xpub/],
  ["a chain id as text", { chainId: "1" }, /chainId: The value must be integer/],
  ["an unknown tag", { finality: { tag: "safe" } }, /one of finalized, none/],
  ["another kind", { kind: "utxo" }, /kind: The value must be "evm"/],
  ["no endpoint", { endpoints: [] }, /fewer than 1/],
  ["a short genesis", { genesis: "0x12" }, /genesis/],
  ["a minority", { quorum: 1 }, /More than half of the 3 endpoints must agree. Use 2 to 3/],
  ["more than there are", { quorum: 4 }, /Use 2 to 3/],
  ["a private key", { deposits: { xpub: "xprv" } }, /deposits.xpub: .* xpub/],
  [
    "an amount with a point",
    { fees: { surchargeUnits: "1.5" } },
    /surchargeUnits: .*smallest units as text/,
  ],
  ["a number of wei", { fees: { surchargeUnits: 5 } }, /surchargeUnits: The value must be string/],
  ["another kind of fees", { fees: { kind: "flat" } }, /one of market, catalogue/],
  ["a fallback without an end", { fees: { fallback: { rateUnits: "1" } } }, /seconds/],
  [
    "a fee that is stale before the next one",
    { fees: { everySeconds: 60, freshSeconds: 119 } },
    /fees\.freshSeconds: .*two periods of 60 s.* Use 120 or more/,
  ],
  [
    "an amount in euro that is a number",
    { finality: { large: { aboveEuro: "1e3", atLeast: 20 } } },
    /aboveEuro: .*in euro as text/,
  ],
  [
    "fewer blocks for a large deposit",
    { finality: { atLeast: 20, large: { aboveEuro: "1000", atLeast: 19 } } },
    /finality\.large\.atLeast: .*at least the 20 blocks/,
  ],
  [
    "fewer blocks than the catalogue's",
    { finality: { large: { aboveEuro: "1000", atLeast: 11 } } },
    /at least the 12 blocks/,
  ],
  ["a network of real coins", { chainId: 8453 }, /real coins, which only prod may use/],
])("%s is refused with its place", (_what, changes, sentence) => {
  expect(problemsOf(changes).join("\n")).toMatch(sentence);
});

test("the fees and the blocks of large deposits are accepted", () => {
  const fallback = { rateUnits: "50000000000", seconds: 600 };
  const fees = { surchargeUnits: "0", fallback };
  const finality = { large: { aboveEuro: "1000.50", atLeast: 12 } };
  expect(problemsOf({ fees, finality })).toEqual([]);
  expect(problemsOf({ fees: { everySeconds: 60, freshSeconds: 120 } })).toEqual([]);
});

test("the rails file's blocks are those of the catalogue that the service uses", () => {
  const shipped = buildCatalogue({
    version: 1n,
    networks,
    currencies: [],
    paymentMethods: [],
    deliveryMethods: [],
    countries: [],
    pricingRules: [],
  });
  const large = { aboveEuro: "1000", atLeast: 40 };
  const chosen = { ethereum: { ...GOOD, finality: { atLeast: 20, large } } } as ChainChoices;
  const { network } = withFinality(shipped, chosen);
  expect(network("ethereum")).toMatchObject({
    confirmations: 20,
    large: { aboveEuro: { units: 1_000n, scale: 0 }, confirmations: 40 },
  });
  expect(network("base")).toEqual(networkOf("base", "evm"));
  expect(withFinality(shipped, {})).toBe(shipped);
});

test("prod takes only the network's own chain id, and one endpoint only if it is the operator's", () => {
  expect(problemsOf({}, "prod")).toEqual([
    ".ethereum.chainId: In prod ethereum has the chain id 1, not 11155111.",
  ]);
  const endpoints = [{ name: "a", url: "https://a.example" }];
  expect(problemsOf({ chainId: 1, endpoints }, "prod").join()).toMatch(/your own node/);
  expect(problemsOf({ endpoints }, "staging")).toEqual([]);
});

test("endpoints with one name, without an address, with two or with an open one are all reported", () => {
  const endpoints = [
    { name: "a", url: "http://rpc.example.com" },
    { name: "a", url: "ftp://rpc.example.com" },
    { name: "b" },
    { name: "c", url: "https://c.example", urlFile: "c" },
  ];
  expect(problemsOf({ endpoints })).toEqual([
    expect.stringMatching(/\[0\]\.url: .*Plain HTTP/),
    expect.stringMatching(/\[1\]\.name: a is used by an earlier endpoint/),
    expect.stringMatching(/\[1\]\.url: .*must be an address/),
    expect.stringMatching(/\[2\]: Write either url, or urlFile/),
    expect.stringMatching(/\[3\]: Write either url, or urlFile/),
  ]);
});

test("every problem of the file is reported at once, with the place of each", () => {
  const config = { railsFile: file, environment: "dev", apiProcesses: 1 } as const;
  const bad = { ...GOOD, quorum: 1 };
  writeFileSync(file, JSON.stringify({ chains: { bitcoin: bad, base: bad } }));
  const message = messageOf(() => readChains(config, { catalogue: () => catalogue }));
  expect(message).toMatch(/has 3 problem\(s\)/);
  expect(message).toMatch(/chains\.bitcoin: The catalogue has no EVM network .* ethereum, base/);
  expect(message).toMatch(/chains\.base\.quorum/);
});

test("a file that is missing or not JSON is refused; one without chains has no live network", () => {
  const config = { railsFile: file, environment: "dev", apiProcesses: 1 } as const;
  const read = () => readChains(config, { catalogue: () => catalogue });
  writeFileSync(file, "{");
  expect(messageOf(read)).toMatch(/the file: It is not valid JSON/);
  writeFileSync(file, "{}");
  expect(read()).toEqual({});
  rmSync(file);
  expect(messageOf(read)).toMatch(/EXCHANGE_RAILS_FILE names/);
});

test("a live network links to its own explorer, and only the others to the sandbox's", () => {
  const explorer = "http://localhost:8081/wallet#{hash}";
  const chains = { ethereum: { ...GOOD, explorer }, base: GOOD } as ChainChoices;
  const links = (choices: Parameters<typeof withExplorers>[1]): readonly string[] =>
    withExplorers(catalogue, choices).networks.map((one) => one.explorerTransactionUrl);
  const ours = "https://explorer.example/{hash}";
  expect(links({ chains, sandboxUrl: "https://us.example" })).toEqual([
    explorer,
    ours,
    "https://us.example/sandbox/transactions/bitcoin/{hash}",
  ]);
  expect(links({ chains, sandboxUrl: undefined })).toEqual([explorer, ours, ours]);
  expect(problemsOf({ explorer: "javascript:alert('{hash}')" }).join("\n")).toContain(".explorer");
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  return "";
}
