import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { NO_CONTROLS } from "../../testing/exchanges.ts";
import { StartError } from "../start-error.ts";
import { type ChainChoices, chainProblems } from "./chain-choices.ts";
import type { ChainContext } from "./endpoint-choices.ts";
import { withExplorers, withRails } from "./offered-catalogue.ts";
import { assetsOf, readChains, withLiveStock } from "./open-chains.ts";
import { policyOf } from "./open-fee-markets.ts";
import { earlyDepthOf, payoutDepthOf } from "./payout-depths.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-chains-"));
const file = join(folder, "rails.json");
afterAll(() => rmSync(folder, { recursive: true }));

const XPUB =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt";
/** The private key of the same account, and the public one with the version of test chains. */
const XPRV =
  "xprv9yjv4vNKzFSMwPmuDGfy9SuDaJiZgcMaWXLLyDyfxPMfdqB8ugqQUBNYnsfRkx4W14HAQVMmykCUycGv54nRT17enxiNTC8YfCGZQmSqZWU";
const OTHER_XPUB =
  "xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE";
const TPUB =
  "tpubDD6tzfiuXtx7Rg3DmVC4iWBKTTei5TaVRNrF8ASRrdeYFvAzXSzkARMrtBAun5FkgoTyWNx4ctW7nZ4g97Fm6V9j3SYkCnxf418FKYm6FwY";
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
  priceChanges: [],
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

test("payouts complete their orders after the network's usual depth, or the chosen one, up to the final depth", () => {
  const depthOf = (code: string, choices: object, hasWord = true): number =>
    payoutDepthOf(choices, { code, confirmations: 12 }, { hasWord });
  expect([depthOf("ethereum", {}), depthOf("bitcoin", {}, false)]).toEqual([4, 1]);
  expect([depthOf("elsewhere", {}), depthOf("ethereum", { payoutDepth: 30 })]).toEqual([12, 30]);
  expect(depthOf("litecoin", { finality: { atLeast: 1 } }, false)).toBe(1);
  expect(depthOf("ethereum", { finality: { tag: "none", atLeast: 3 } })).toBe(3);
  const coin = { code: "litecoin", confirmations: 4 };
  expect(earlyDepthOf({ payoutDepth: 3 }, coin, { hasWord: false })).toEqual({ payoutDepth: 3 });
  // The scanner says which block is final, so nothing is paid at that depth before it does.
  expect(earlyDepthOf({ payoutDepth: 4 }, coin, { hasWord: false })).toEqual({});
  expect(problemsOf({ hot: HOT, payoutDepth: 30 })).toEqual([]);
  expect(problemsOf({ payoutDepth: 3 })).toEqual([
    expect.stringMatching(/^\.ethereum\.payoutDepth: The network has no member hot/),
  ]);
  const finality = { tag: "none", atLeast: 3 };
  expect(problemsOf({ hot: HOT, finality, payoutDepth: 4 })).toEqual([
    ".ethereum.payoutDepth: A block is final after 3 blocks. Use 3 or fewer.",
  ]);
  expect(problemsOf({ hot: HOT, payoutDepth: 0 })).toEqual([
    ".ethereum.payoutDepth: The value must be >= 1.",
  ]);
});

const TANK = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";

test("a gas tank is another wallet than the hot one, and the cap of a day is stated once", () => {
  const deposits = { ...GOOD.deposits, wallet: "ethereum-deposits" };
  const gasTank = { wallet: "ethereum-gas", address: TANK, capPerDayUnits: "5" };
  expect(problemsOf({ hot: HOT, deposits, sweeps: {}, gasTank })).toEqual([]);
  expect(problemsOf({ gasTank })).toEqual([
    expect.stringMatching(/^\.ethereum\.gasTank: A gas tank needs a hot wallet/),
  ]);
  const refused = [
    problemsOf({ hot: HOT, gasTank: { ...gasTank, address: HOT.address } }),
    problemsOf({ hot: HOT, gasTank: { ...gasTank, wallet: HOT.wallet } }),
    problemsOf({ hot: HOT, gasTank: { ...gasTank, address: TANK.replace("D1a5", "d1a5") } }),
    problemsOf({ hot: HOT, deposits, sweeps: { topUpsDayUnits: "1" }, gasTank }),
    problemsOf({ hot: HOT, gasTank: { ...gasTank, capPerDayUnits: "0.1" } }),
    problemsOf({ hot: HOT, payouts: { gasFloorUnits: "-1" } }),
  ].map((problems) => problems.join());
  expect(refused).toEqual([
    expect.stringMatching(/^\.ethereum\.gasTank: The gas tank is the hot wallet/),
    expect.stringMatching(/^\.ethereum\.gasTank: The gas tank is the hot wallet/),
    expect.stringMatching(/^\.ethereum\.gasTank\.address: /),
    expect.stringMatching(
      /^\.ethereum\.sweeps\.topUpsDayUnits: gasTank\.capPerDayUnits is the limit/,
    ),
    expect.stringMatching(/^\.ethereum\.gasTank\.capPerDayUnits: /),
    expect.stringMatching(/^\.ethereum\.payouts\.gasFloorUnits: /),
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
  [
    "a chain id as text",
    { chainId: "1" },
    /chainId: The value must be a whole number, without quot/,
  ],
  ["no chain id", { chainId: undefined }, /ethereum: The member chainId is missing. Add it/],
  ["an unknown tag", { finality: { tag: "safe" } }, /one of finalized, none/],
  [
    "another kind",
    { kind: "monero" },
    /kind: The value must be one of evm, utxo, tron, solana, xrp/,
  ],
  [
    "no endpoint",
    { endpoints: [] },
    /endpoints: The value must be a list of one to nine endpoints/,
  ],
  [
    "a short genesis",
    { genesis: "0x12" },
    /genesis: The value must be 0x and 64 hexadecimal digits/,
  ],
  [
    "a wallet in capitals",
    { hot: { ...HOT, wallet: "Hot" } },
    /wallet: .* a name of 1 to 64 of a-z, 0-9 and . - _, the first of a-z/,
  ],
  [
    "a node by its name over plain HTTP",
    { endpoints: [{ name: "own", url: "http://node:8545" }] },
    /private addresses in digits, such as http/,
  ],
  [
    "a hash in capitals",
    { codeHashes: { "usdt-ethereum": `0x${"A".repeat(64)}` } },
    /codeHashes\.usdt-ethereum: .* hexadecimal digits in small letters/,
  ],
  [
    "a hash of a token that the network does not have",
    { codeHashes: { "usdt-etherum": `0x${"a".repeat(64)}` } },
    /codeHashes\.usdt-etherum: The catalogue has no token usdt-etherum on ethereum/,
  ],
  ["a minority", { quorum: 1 }, /More than half of the 3 endpoints must agree. Use 2 to 3/],
  ["more than there are", { quorum: 4 }, /Use 2 to 3/],
  ["a private key", { deposits: { xpub: "xprv" } }, /deposits.xpub: .* xpub/],
  [
    "an amount with a point",
    { fees: { surchargeUnits: "1.5" } },
    /surchargeUnits: .*smallest units as text/,
  ],
  ["a number of wei", { fees: { surchargeUnits: 5 } }, /surchargeUnits: .* smallest units as text/],
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

type Rails = Parameters<typeof withRails>[1]["rails"];
const NO_RAILS: Rails = { cardProcessor: undefined, chain: undefined, bank: undefined };
const SANDBOX = { cardProcessor: {}, chain: {}, bank: {} } as Rails;

test("the rails file's blocks are those of the catalogue that the service uses", () => {
  const shipped = buildCatalogue({
    version: 1n,
    networks,
    currencies: [],
    paymentMethods: [],
    deliveryMethods: [],
    countries: [],
    pricingRules: [],
    priceChanges: [],
  });
  const large = { aboveEuro: "1000", atLeast: 40 };
  const chosen = { ethereum: { ...GOOD, finality: { atLeast: 20, large } } } as ChainChoices;
  const { network } = withRails(shipped, { chains: chosen, rails: SANDBOX });
  expect(network("ethereum")).toMatchObject({
    confirmations: 20,
    large: { aboveEuro: { units: 1_000n, scale: 0 }, confirmations: 40 },
  });
  expect(network("base")).toEqual(networkOf("base", "evm"));
  const live = withRails(shipped, { chains: chosen, rails: NO_RAILS });
  expect(live.networks.map(({ code, enabled }) => [code, enabled])).toEqual([
    ["ethereum", true],
    ["base", false],
    ["bitcoin", false],
  ]);
});

test("a method is offered where a rail serves it, whichever program built the rail", () => {
  const method = (type: string) => ({ reference: type, type, enabled: true });
  const stored = buildCatalogue({
    ...catalogue,
    paymentMethods: ["card", "bank_transfer", "crypto"].map(method),
    deliveryMethods: ["on_chain", "bank_transfer", "mobile_money"].map(method),
  } as unknown as Catalogue);
  const offeredWith = (rails: Partial<Rails>, chains: ChainChoices = {}) => {
    const offered = withRails(stored, { chains, rails: { ...NO_RAILS, ...rails } });
    return [...offered.paymentMethods, ...offered.deliveryMethods]
      .filter(({ enabled }) => enabled)
      .map(({ type }) => type);
  };
  expect(offeredWith({})).toEqual([]);
  expect(offeredWith({}, { ethereum: GOOD } as ChainChoices)).toEqual(["crypto", "on_chain"]);
  const { bank, cardProcessor } = SANDBOX;
  expect(offeredWith({ bank })).toEqual(["bank_transfer", "bank_transfer", "mobile_money"]);
  expect(offeredWith({ cardProcessor })).toEqual(["card"]);
});

test("prod takes only the network's own chain id, and one endpoint only if it is the operator's", () => {
  expect(problemsOf({}, "prod")).toEqual([
    ".ethereum.chainId: In prod ethereum has the chain id 1, not 11155111.",
  ]);
  const endpoints = [{ name: "a", url: "https://a.example" }];
  expect(problemsOf({ chainId: 1, endpoints }, "prod").join()).toMatch(/your own node/);
  expect(problemsOf({ endpoints }, "staging")).toEqual([]);
});

const coins = [networkOf("bitcoin", "bitcoin"), networkOf("litecoin", "litecoin")];
const coinCatalogue = buildCatalogue({ ...catalogue, networks: coins });

const GOOD_COIN = {
  kind: "utxo",
  coin: "litecoin",
  chain: "regtest",
  endpoints: [{ name: "own", url: "http://name:password@10.0.0.5:9332", trust: "own" }],
  deposits: { xpub: XPUB },
};

/** Returns the problems, one a line, of a Litecoin network with these changes. */
const coinProblemsOf = (
  changes: object,
  environment: "dev" | "staging" | "prod" = "staging",
  code = "litecoin",
): string =>
  chainProblems(
    { [code]: { ...GOOD_COIN, ...changes } },
    { environment, hasSigner: false, catalogue: coinCatalogue },
  )
    .map(({ path, sentence }) => `${path}: ${sentence}`)
    .join("\n");

test("Litecoin's fees are not raised by other versions, except on a chain of a test", () => {
  const payouts = { raise: "replace" };
  const paying = (changes: object): object => ({ payouts, ...changes });
  const problem =
    /\.payouts\.raise: The nodes of litecoin refuse another version.* Use child or never/;
  expect(coinProblemsOf(paying({ chain: "test" }))).toMatch(problem);
  expect(coinProblemsOf(paying({}))).not.toMatch(problem);
  expect(coinProblemsOf(paying({ chain: "test", payouts: { raise: "child" } }))).not.toMatch(
    problem,
  );
});

test("a network of the Bitcoin family is accepted, in prod on the main chain", () => {
  expect(coinProblemsOf({})).toBe("");
  expect(coinProblemsOf({ chain: "main", finality: { atLeast: 24 } }, "prod")).toBe("");
  expect(coinProblemsOf({ fees: { fallback: { rateUnits: "20", seconds: 600 } } })).toBe("");
  expect(coinProblemsOf({ fees: { kind: "catalogue" } })).toBe("");
  expect(coinProblemsOf({ coin: "bitcoin", chain: "signet" }, "staging", "bitcoin")).toBe("");
});

test.each([
  ["an unknown member", { colour: 1 }, /There is no member colour/],
  ["balances, which no node has", { scan: { balancesSeconds: 1 } }, /no member balancesSeconds/],
  [
    "another way to raise a fee",
    { payouts: { raise: "rbf" } },
    /^\.litecoin\.payouts\.raise: The value must be one of replace, child, never\.$/,
  ],
  [
    "fewer blocks for a large deposit",
    { finality: { large: { aboveEuro: "1000", atLeast: 11 } } },
    /at least the 12 blocks/,
  ],
  ["a chain with real coins", { chain: "main" }, /chain: main .* real coins, which only prod/],
  [
    "a chain that the coin lacks",
    { chain: "signet" },
    /no chain signet. Use one of main, test, regtest/,
  ],
  [
    "another coin's network",
    { coin: "bitcoin" },
    /no network of this code for bitcoin. Use bitcoin/,
  ],
  ["a rate with a point", { fees: { fallback: { rateUnits: "1.5", seconds: 60 } } }, /rateUnits/],
  ["another kind of fees", { fees: { kind: "flat" } }, /fees\.kind: .*one of market, catalogue/],
  [
    "a fee that is stale before the next one",
    { fees: { everySeconds: 60, freshSeconds: 60 } },
    /fees\.freshSeconds: .*Use 120 or more/,
  ],
  ["no low rate of fees", { consolidate: {} }, /consolidate.*feeRateMax/],
  [
    "a wallet of few coins that is consolidated",
    { consolidate: { feeRateMax: 3, aboveCoins: 5 } },
    /consolidate\.aboveCoins: .*20/,
  ],
  ["coins without a hot wallet", { consolidate: { feeRateMax: 3 } }, /no coins to consolidate/],
  ["a private key", { deposits: { xpub: XPRV } }, /deposits.xpub: .* is a private key/],
  ["a key of no account", { deposits: { xpub: "xpub" } }, /is not an extended public key/],
])("for Litecoin %s is refused with its place", (_what, changes, sentence) => {
  expect(coinProblemsOf(changes)).toMatch(sentence);
});

test("a hot wallet needs a signer and a key of its own, and payouts need a hot wallet", () => {
  const hot = { wallet: "litecoin-hot", xpub: OTHER_XPUB };
  expect(coinProblemsOf({ hot })).toMatch(/\.hot: The file has no member signer/);
  expect(coinProblemsOf({ hot: { ...hot, xpub: XPUB } })).toMatch(
    /hot\.xpub: The deposits have the same/,
  );
  expect(coinProblemsOf({ hot: { ...hot, xpub: "xpub" } })).toMatch(
    /hot\.xpub: .* is not an extended/,
  );
  expect(coinProblemsOf({ payouts: { feeRate: 5 } })).toMatch(
    /payouts: The network has no member hot/,
  );
  expect(coinProblemsOf({ hot, payoutDepth: 13 })).toMatch(
    /payoutDepth: A block is final after 12 blocks. Use 12 or fewer/,
  );
});

test("a coin whose rules are not built is refused with the reason", () => {
  expect(coinProblemsOf({ coin: "dogecoin" }, "staging", "dogecoin")).toBe(
    ".dogecoin.coin: dogecoin cannot be followed. Its rules are not built: its addresses are P2PKH, whose signatures need the whole earlier transactions. Use one of bitcoin, litecoin.",
  );
  expect(coinProblemsOf({ coin: "bitcoin-cash" })).toMatch(/coins may carry tokens/);
  expect(coinProblemsOf({ coin: "monero" })).toMatch(/coin: monero cannot be followed. Use one/);
});

test("prod takes only the main chain and a key of it", () => {
  expect(coinProblemsOf({}, "prod")).toMatch(
    /In prod litecoin follows the chain main, not regtest/,
  );
  const deposits = { xpub: TPUB };
  expect(coinProblemsOf({ deposits })).toBe("");
  expect(coinProblemsOf({ deposits, chain: "main" }, "prod")).toMatch(/is a key of a test chain/);
});

const GOOD_TRON = {
  kind: "tron",
  chainId: 3_448_148_188,
  endpoints: [{ name: "own", url: "http://10.0.0.5:8090", trust: "own" }],
  deposits: { xpub: XPUB },
};

const TRON_HOT = { wallet: "tron-hot", address: "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6" };

/** Returns the problems, one a line, of Tron with these changes. */
const tronProblemsOf = (
  changes: object,
  environment: "staging" | "prod" = "staging",
  code = "tron",
): string =>
  chainProblems(
    { [code]: { ...GOOD_TRON, ...changes } },
    {
      environment,
      hasSigner: true,
      catalogue: buildCatalogue({ ...catalogue, networks: [networkOf("tron", "tron")] }),
    },
  )
    .map(({ path, sentence }) => `${path}: ${sentence}`)
    .join("\n");

test("Tron is accepted, in prod with the main network's chain id", () => {
  expect(tronProblemsOf({})).toBe("");
  expect(tronProblemsOf({ finality: { atLeast: 20 }, scan: { pollMs: 3_000 } })).toBe("");
  expect(tronProblemsOf({ fees: { fallback: { rateUnits: "100", seconds: 600 } } })).toBe("");
  expect(tronProblemsOf({ fees: { kind: "catalogue" } })).toBe("");
  expect(tronProblemsOf({ chainId: 728_126_428 }, "prod")).toBe("");
  expect(
    tronProblemsOf({ hot: TRON_HOT, payouts: { expirationSeconds: 60, graceSeconds: 60 } }),
  ).toBe("");
  const deposits = { xpub: XPUB, wallet: "tron-deposits" };
  expect(tronProblemsOf({ hot: TRON_HOT, deposits, sweeps: { topUpsDayUnits: "5" } })).toBe("");
});

test.each([
  ["the hot wallet of an EVM network", { hot: HOT }, /hot.address: .* is not an address of Tron/],
  ["payouts without a hot wallet", { payouts: {} }, /no member hot, so it makes no payouts/],
  [
    "a fee that is not a whole number of sun",
    { hot: TRON_HOT, payouts: { feeMaxUnits: "1.5" } },
    /feeMaxUnits: The value must be a whole number of smallest units/,
  ],
  ["a rate with a point", { fees: { fallback: { rateUnits: "1.5", seconds: 60 } } }, /rateUnits/],
  [
    "a fee that is stale before the next one",
    { fees: { everySeconds: 60, freshSeconds: 60 } },
    /fees\.freshSeconds: .*Use 120 or more/,
  ],
  [
    "a deadline of a day",
    { hot: TRON_HOT, payouts: { expirationSeconds: 86_400 } },
    /expirationSeconds: The value must be <= 3600/,
  ],
  ["sweeps without a hot wallet", { sweeps: {} }, /Sweeps need a hot wallet to go to/],
  [
    "sweeps of addresses without a name",
    { hot: TRON_HOT, sweeps: {} },
    /Name them in deposits.wallet, or remove sweeps/,
  ],
  [
    "a gas tank",
    { hot: TRON_HOT, gasTank: { wallet: "tank", address: TRON_HOT.address } },
    /There is no member gasTank/,
  ],
  ["a choice of the tag", { finality: { tag: "none" } }, /There is no member tag/],
  ["the network of real coins", { chainId: 728_126_428 }, /real coins, which only prod may use/],
  ["a private key", { deposits: { xpub: XPRV } }, /deposits.xpub: .* is a private key/],
  [
    "fewer blocks for a large deposit",
    { finality: { large: { aboveEuro: "1000", atLeast: 11 } } },
    /at least the 12 blocks/,
  ],
])("for Tron %s is refused with its place", (_what, changes, sentence) => {
  expect(tronProblemsOf(changes)).toMatch(sentence);
});

test("prod takes only Tron's own chain id, and the catalogue must have the network", () => {
  expect(tronProblemsOf({}, "prod")).toBe(
    ".tron.chainId: In prod tron has the chain id 728126428, not 3448148188.",
  );
  expect(tronProblemsOf({}, "staging", "base")).toMatch(/no network of this code with Tron's/);
});

const GOOD_XRP = {
  kind: "xrp",
  networkId: 1,
  endpoints: [{ name: "own", url: "http://10.0.0.5:5005", trust: "own" }],
  hot: { wallet: "xrpl-hot", address: "rnrbiYDUYTJS4JVdSV5FtyCj4HFuRjfLKM" },
};

/** Returns the problems, one a line, of the XRP Ledger with these changes. */
const xrpProblemsOf = (
  changes: object,
  {
    environment = "staging",
    hasSigner = true,
    code = "xrpl",
  }: Partial<Omit<ChainContext, "catalogue">> & {
    readonly code?: string;
  } = {},
): string =>
  chainProblems(
    { [code]: { ...GOOD_XRP, ...changes } },
    {
      environment,
      hasSigner,
      catalogue: buildCatalogue({ ...catalogue, networks: [networkOf("xrpl", "xrp")] }),
    },
  )
    .map(({ path, sentence }) => `${path}: ${sentence}`)
    .join("\n");

test("the XRP Ledger is accepted, in prod with the network of real coins", () => {
  expect(xrpProblemsOf({})).toBe("");
  expect(xrpProblemsOf({ payouts: { ledgers: 30, floorUnits: "5000000" }, quorum: 1 })).toBe("");
  expect(xrpProblemsOf({ networkId: 0 }, { environment: "prod" })).toBe("");
  expect(xrpProblemsOf({ fees: { fallback: { rateUnits: "20", seconds: 600 } } })).toBe("");
  expect(xrpProblemsOf({ fees: { kind: "catalogue" } })).toBe("");
});

test.each([
  ["no account", { hot: undefined }, /The member hot is missing/],
  [
    "an X-address",
    { hot: { ...GOOD_XRP.hot, address: "XVLhHMPHU98es4dbozjVtdWzVrDjtVoVzmGxd9UhJTsHK63" } },
    /hot.address: .* is not a classic address of the XRP Ledger/,
  ],
  ["the network of real coins", { networkId: 0 }, /real coins, which only prod may use/],
  ["a fee with a point", { payouts: { feeMaxUnits: "1.5" } }, /smallest units/],
  ["a rate with a point", { fees: { fallback: { rateUnits: "1.5", seconds: 60 } } }, /rateUnits/],
  [
    "a life that no proof covers",
    { payouts: { ledgers: 201 } },
    /ledgers: The value must be <= 200/,
  ],
  ["sweeps", { sweeps: {} }, /There is no member sweeps/],
  ["deposits of an account of their own", { deposits: {} }, /There is no member deposits/],
])("for the XRP Ledger %s is refused with its place", (_what, changes, sentence) => {
  expect(xrpProblemsOf(changes)).toMatch(sentence);
});

test("prod takes only the XRP Ledger with real coins, and there must be a signer and a network", () => {
  expect(xrpProblemsOf({}, { environment: "prod" })).toBe(
    ".xrpl.networkId: In prod xrpl has the network id 0, not 1.",
  );
  expect(xrpProblemsOf({}, { hasSigner: false })).toMatch(/hot: The file has no member signer/);
  expect(xrpProblemsOf({}, { code: "base" })).toMatch(/no network of this code with the XRP/);
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

test("the coins of a live network are out of stock until a worker has named it", () => {
  const currencies = [1, 2, 3].map((id) => ({ id, networkCode: id === 3 ? "base" : "ethereum" }));
  const live = {
    catalogue: { ...catalogue, currencies } as unknown as Catalogue,
    chains: { ethereum: GOOD } as unknown as ChainChoices,
  };
  const stockOf = (stock: ReadonlyMap<number, bigint>) =>
    withLiveStock({ ...NO_CONTROLS, stock }, live).stock;
  expect([...stockOf(new Map())]).toEqual([
    [1, 0n],
    [2, 0n],
  ]);
  const named = [
    [1, 5n],
    [2, 6n],
  ] as const;
  expect([...stockOf(new Map(named))]).toEqual(named);
});

const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const ACCOUNT = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";
const MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const ON_SOLANA = { networkCode: "solana", enabled: true };
const SOLANA_COINS = [
  { ...ON_SOLANA, id: 1, code: "SOL", reference: "sol", contractAddress: null },
  { ...ON_SOLANA, id: 2, code: "USDC", reference: "usdc-solana", contractAddress: MINT },
  { ...ON_SOLANA, id: 3, code: "BAD", reference: "bad-solana", contractAddress: "Es9v" },
] as unknown as Catalogue["currencies"];
const SOLANA = {
  kind: "solana",
  genesis: DEVNET,
  endpoints: GOOD.endpoints,
  deposits: { account: ACCOUNT },
};
const TOKEN_PAYOUTS = {
  hot: { wallet: "solana-hot", address: ACCOUNT },
  tokens: ["usdc-solana"],
};

test.each<[string, object, "staging" | "prod", readonly RegExp[]]>([
  ["without payouts", {}, "staging", []],
  ["in prod", { genesis: MAINNET }, "prod", []],
  ["with a hot wallet", { hot: { wallet: "solana-hot", address: ACCOUNT } }, "staging", []],
  ["with the flat fee", { fees: { kind: "catalogue" } }, "staging", []],
  [
    "with a rate that has a point",
    { fees: { fallback: { rateUnits: "5000.5", seconds: 60 } } },
    "staging",
    [/fees\.fallback\.rateUnits: .*smallest units/],
  ],
  ["of a test network in prod", {}, "prod", [/genesis: In prod the first block of solana is 5eyk/]],
  [
    "with real coins outside of prod",
    { genesis: MAINNET },
    "staging",
    [/genesis: 5eyk.* which only prod may use/],
  ],
  ["with the least finality", { finality: { atLeast: 32 } }, "staging", []],
  [
    "with a finality that no block reaches",
    { finality: { atLeast: 31 } },
    "staging",
    [/finality\.atLeast: .*no deposit would become final\. Use 32 or more/],
  ],
  [
    "with payouts and no wallet",
    { payouts: { graceBlocks: 5 } },
    "staging",
    [/payouts: .*no member hot/],
  ],
  [
    "with a wallet of another network",
    { hot: { wallet: "solana-hot", address: "1".repeat(33) } },
    "staging",
    [/hot.address: 1+ is not an address of Solana/],
  ],
  ["with a short key", { deposits: { account: "2".repeat(33) } }, "staging", [/deposits.account/]],
  ["with an xpub", { deposits: { xpub: XPUB } }, "staging", [/account/, /no member xpub/]],
  [
    "with sweeps",
    {
      hot: { wallet: "solana-hot", address: ACCOUNT },
      deposits: { account: ACCOUNT, wallet: "solana-deposits" },
      sweeps: { aboveEuro: 5, maxHours: 12 },
    },
    "staging",
    [],
  ],
  [
    "with sweeps to nowhere, of addresses without a name",
    { sweeps: {} },
    "staging",
    [/^\.solana\.sweeps: Sweeps need a hot wallet/, /Name them in deposits.wallet/],
  ],
  [
    "with top-ups, and sweeps that leave something",
    {
      hot: { wallet: "solana-hot", address: ACCOUNT },
      deposits: { account: ACCOUNT, wallet: "solana-deposits" },
      sweeps: { topUpsDayUnits: "5", leftUnits: "7" },
    },
    "staging",
    [/sweeps.topUpsDayUnits: .*takes all coins/, /sweeps.leftUnits: .*Remove sweeps.leftUnits/],
  ],
  ["with tokens that are paid out", TOKEN_PAYOUTS, "staging", []],
  [
    "with the highest price at which a token is within its fee",
    { ...TOKEN_PAYOUTS, payouts: { unitPriceMin: 1_186_501 } },
    "staging",
    [],
  ],
  [
    "with a price at which no token would be quoted",
    { ...TOKEN_PAYOUTS, payouts: { unitPriceMin: 1_186_502 } },
    "staging",
    [
      /payouts\.unitPriceMin: .*costs up to 100001 lamports, above the 100000 of feeMaxUnits.*signer's policy with it/,
    ],
  ],
  [
    "with such a price and a fee that covers it",
    { ...TOKEN_PAYOUTS, payouts: { unitPriceMin: 1_186_502, feeMaxUnits: "100001" } },
    "staging",
    [],
  ],
  [
    "with such a price and no tokens",
    { hot: TOKEN_PAYOUTS.hot, payouts: { unitPriceMin: 1_186_502 } },
    "staging",
    [],
  ],
  [
    "with the highest fallback at which a token is within its fee",
    { ...TOKEN_PAYOUTS, fees: { fallback: { rateUnits: "6187", seconds: 60 } } },
    "staging",
    [],
  ],
  [
    "with a fallback at which no token would be quoted",
    { ...TOKEN_PAYOUTS, fees: { fallback: { rateUnits: "6188", seconds: 60 } } },
    "staging",
    [
      /fees\.fallback\.rateUnits: .*token costs 100040 lamports, above the 100000 of feeMaxUnits.*signer's policy with it/,
    ],
  ],
  [
    "with such a fallback beside the fees of the catalogue, which are quoted in its place",
    {
      ...TOKEN_PAYOUTS,
      fees: { kind: "catalogue", fallback: { rateUnits: "6188", seconds: 60 } },
    },
    "staging",
    [],
  ],
  [
    "with tokens and no wallet",
    { tokens: ["usdc-solana"] },
    "staging",
    [/^\.solana\.tokens: .*needs a hot wallet/],
  ],
  [
    "with SOL, a token of another network and one with a bad mint as its tokens",
    {
      hot: { wallet: "solana-hot", address: ACCOUNT },
      tokens: ["sol", "usdt-tron", "bad-solana"],
    },
    "staging",
    [
      /tokens\[0\]: The catalogue has no token sol on solana\. Use one of usdc-solana, bad-solana/,
      /tokens\[1\]: The catalogue has no token usdt-tron/,
      /tokens\[2\]: The mint of bad-solana in the catalogue, Es9v, is not an address of Solana/,
    ],
  ],
])("a network of Solana %s", (_, changes, environment, expected) => {
  const context = {
    environment,
    hasSigner: true,
    catalogue: buildCatalogue({
      ...catalogue,
      networks: [{ ...networkOf("solana", "solana"), confirmations: 32 }],
      currencies: SOLANA_COINS,
    }),
  };
  const problems = chainProblems({ solana: { ...SOLANA, ...changes } }, context);
  expect(problems.map(({ path, sentence }) => `${path}: ${sentence}`)).toEqual(
    expected.map((one) => expect.stringMatching(one)),
  );
});

test("a live Solana offers the tokens that its file names, and nobody can pay with them", () => {
  const stored = buildCatalogue({
    ...catalogue,
    currencies: SOLANA_COINS,
    networks: [networkOf("solana", "solana")],
  });
  const offeredIn = (changes: object | undefined) => {
    const chains = changes && { solana: { ...SOLANA, ...changes } };
    const live = (chains ?? {}) as unknown as ChainChoices;
    return withRails(stored, { chains: live, rails: SANDBOX })
      .currencies.filter(({ enabled }) => enabled)
      .map(({ reference, isPaidOutOnly = false }) => [reference, isPaidOutOnly]);
  };
  expect(offeredIn({})).toEqual([["sol", false]]);
  expect(offeredIn({ tokens: ["usdc-solana"] })).toEqual([
    ["sol", false],
    ["usdc-solana", true],
  ]);
  // The sandbox has deposits of tokens.
  expect(offeredIn(undefined)).toEqual([
    ["sol", false],
    ["usdc-solana", false],
    ["bad-solana", false],
  ]);
});

test("a fallback of Solana pays the compute units of SOL and of a token at one price", () => {
  const fallbackOf = (kind: string, rateUnits: string) =>
    policyOf({ ...SOLANA, kind, fees: { fallback: { rateUnits, seconds: 60 } } } as never).fallback;
  expect(fallbackOf("solana", "5500")).toEqual({ rate: 5_500n, tokenRate: 45_000n, forMs: 60_000 });
  // No price is left beside the signature.
  expect(fallbackOf("solana", "4000")).toMatchObject({ rate: 4_000n, tokenRate: 5_000n });
  expect(fallbackOf("xrp", "20")).toEqual({ rate: 20n, forMs: 60_000 });
});

test("a scanner of Solana looks for tokens at hot wallets, and for none without a mint's address", () => {
  const stored = buildCatalogue({
    ...catalogue,
    currencies: SOLANA_COINS,
    networks: [networkOf("solana", "solana")],
  });
  expect(assetsOf(stored, "solana")).toEqual([
    { assetId: 1, contract: null },
    { assetId: 2, contract: MINT, isPaidOutOnly: true },
  ]);
});
