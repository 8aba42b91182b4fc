import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { FeeMarket } from "../../domain/ports/network-fees.ts";
import { makeEvmFeeMarket } from "./evm/fee-market.ts";
import { makeSolanaFeeMarket } from "./solana/fees.ts";
import { makeTronFeeMarket } from "./tron/fees.ts";
import { makeCoinFeeMarket } from "./utxo/fees.ts";
import { makeXrpFeeMarket } from "./xrp/fees.ts";

/** The answers of an endpoint as JSON text, by method. Without one the method is refused. */
type Answers = Readonly<Record<string, string>>;

interface Common {
  readonly networkCode: string;
  readonly endpoints: readonly {
    readonly name: string;
    readonly url: string;
    readonly isOwn: boolean;
  }[];
  readonly quorum: number;
  readonly timeoutMs: number;
  readonly suspect: (endpoint: string, what: string) => void;
}

interface Row {
  readonly open: (common: Common) => FeeMarket;
  /** The rates of the cases are multiples of it. */
  readonly scale: bigint;
  /** Returns the answers of an endpoint that asks for this rate, which is even and at least 18 times the scale. */
  readonly answers: (rate: bigint) => Answers;
  /** Answers that are a fault of their endpoint. */
  readonly hostile: Readonly<Record<string, Answers>>;
  readonly dialect: Dialect;
}

interface Question {
  readonly id?: number;
  readonly method: string;
}

/** Returns the text of the reply to the questions of one request to a path. */
type Dialect = (questions: readonly Question[], answers: Answers, path: string) => string;

const batched =
  (version: string): Dialect =>
  (questions, answers) => {
    const texts = questions.map(({ id, method }) => {
      const result = answers[method];
      const refusal = '"result":null,"error":{"code":-32601,"message":"unknown method"}';
      return `{${version}"id":${id},${result === undefined ? refusal : `"result":${result}`}}`;
    });
    return questions.length === 1 && version !== "" ? String(texts[0]) : `[${texts.join()}]`;
  };
const ofJsonRpc = batched('"jsonrpc":"2.0",');
const ofBitcoin = batched("");
const ofRippled: Dialect = ([question], answers) => {
  const result = answers[question?.method ?? ""];
  return `{"result":${result ?? '{"status":"error","error":"unknownCmd"}'}}`;
};

/** A node of Tron has an interface of its own beside Ethereum's. */
const ofTron: Dialect = (questions, answers, path) =>
  path === "/jsonrpc" ? ofJsonRpc(questions, answers, path) : (answers[path] ?? "null");

const GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
const bitcoinSays = (feerate: string, least = "0.00001000"): Answers => ({
  getblockchaininfo: '{"chain":"regtest"}',
  getblockhash: `"${GENESIS}"`,
  getmempoolinfo: `{"mempoolminfee":${least}}`,
  estimatesmartfee: `{"feerate":${feerate},"blocks":6}`,
});
/** Returns a rate for each byte as nodes write it: in coins for a thousand bytes. */
const perThousand = (rate: bigint): string => `0.${String(rate * 1_000n).padStart(8, "0")}`;
const xrpSays = (open: string, base = '"10"'): Answers => ({
  server_info: '{"status":"success","info":{"network_id":1}}',
  fee: `{"status":"success","drops":{"base_fee":${base},"open_ledger_fee":${open}}}`,
});
const SLOT_ZERO = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG";
const solanaSays = (fees: string, rent = "2039280"): Answers => ({
  getGenesisHash: `"${SLOT_ZERO}"`,
  getRecentPrioritizationFees: fees,
  getMinimumBalanceForRentExemption: rent,
});
/** Returns the answer of a node for one price, in millionths of a lamport for a compute unit. */
const solanaPrice = (price: string): Answers =>
  solanaSays(`[{"slot":1,"prioritizationFee":${price}}]`);
const tronSays = (energy: string, bandwidth = "1000"): Answers => {
  const parameters = {
    ...{ getEnergyFee: energy, getTransactionFee: bandwidth },
    ...{ getCreateAccountFee: "100000", getCreateNewAccountFeeInSystemContract: "1000000" },
  };
  const list = Object.entries(parameters).map(([key, value]) =>
    value === "" ? `{"key":"${key}"}` : `{"key":"${key}","value":${value}}`,
  );
  return {
    eth_chainId: '"0x7a69"',
    "/wallet/getchainparameters": `{"chainParameter":[${list.join()}]}`,
  };
};
const evmSays = (bases: string, reward = '[["0x0"]]'): Answers => ({
  eth_chainId: '"0x7a69"',
  eth_feeHistory: `{"baseFeePerGas":${bases},"reward":${reward}}`,
});

const openCoins = (common: Common): FeeMarket =>
  makeCoinFeeMarket(
    { ...common, chain: { name: "regtest", genesis: GENESIS }, confirmations: 2 },
    { rateWithoutEstimate: 7n },
  );

const openSolanas = (common: Common, unitPriceMin = 0n): FeeMarket =>
  makeSolanaFeeMarket({
    ...{ ...common, genesis: SLOT_ZERO, unitPriceMin },
    finality: { tag: "finalized", atLeast: 1 },
  });

const openTrons = (common: Common): FeeMarket =>
  makeTronFeeMarket({
    ...{ ...common, chainId: 31_337, genesis: undefined },
    finality: { tag: "none", atLeast: 1 },
  });

const ROWS: Readonly<Record<string, Row>> = {
  evm: {
    open: (common) =>
      makeEvmFeeMarket({
        ...{ ...common, chainId: 31_337, genesis: undefined, tipMin: 0n },
        finality: { tag: "none", atLeast: 1 },
      }),
    scale: 1n,
    answers: (rate) => evmSays(`["0x${(rate / 2n).toString(16)}"]`),
    hostile: {
      negative: evmSays('["-0x1"]'),
      huge: evmSays(`["0x${"f".repeat(80)}"]`),
      text: evmSays('["much"]'),
      fraction: evmSays('["0x1.8"]'),
      number: evmSays("[1]"),
      missing: evmSays("[]"),
      "a list": evmSays('[["0x1"]]'),
      "a negative tip": evmSays('["0x1"]', '[["-0x1"]]'),
    },
    dialect: ofJsonRpc,
  },
  tron: {
    open: openTrons,
    scale: 1n,
    answers: (rate) => tronSays(String(rate)),
    hostile: {
      negative: tronSays("-40"),
      zero: tronSays("0"),
      huge: tronSays("9".repeat(30)),
      exponent: tronSays("4e1"),
      text: tronSays('"cheap"'),
      fraction: tronSays("40.5"),
      null: tronSays("null"),
      missing: tronSays(""),
      "bytes of nothing": tronSays("40", "0"),
      "bytes of less than nothing": tronSays("40", "-1000"),
      "bytes without a price": tronSays("40", ""),
      "no parameters": { ...tronSays("40"), "/wallet/getchainparameters": "{}" },
      "a word for the list": {
        ...tronSays("40"),
        "/wallet/getchainparameters": '{"chainParameter":"cheap"}',
      },
      "a list of nothing": {
        ...tronSays("40"),
        "/wallet/getchainparameters": '{"chainParameter":[null]}',
      },
      "a refusal": { ...tronSays("40"), "/wallet/getchainparameters": '{"Error":"no"}' },
    },
    dialect: ofTron,
  },
  utxo: {
    open: openCoins,
    scale: 1n,
    answers: (rate) => bitcoinSays(perThousand(rate)),
    hostile: {
      negative: bitcoinSays("-0.00001000"),
      "minus one": bitcoinSays("-1"),
      zero: bitcoinSays("0", "0"),
      huge: bitcoinSays("1e30"),
      "too many digits": bitcoinSays("9".repeat(30)),
      text: bitcoinSays('"cheap"'),
      "a fraction of the smallest unit": bitcoinSays("0.000012345"),
      null: bitcoinSays("null"),
      "a negative minimum": bitcoinSays("0.00020000", "-0.00001000"),
      "no minimum": { ...bitcoinSays("0.00020000"), getmempoolinfo: "{}" },
      "an estimate that is text": { ...bitcoinSays("0.0002"), estimatesmartfee: '"0.0002"' },
    },
    dialect: ofBitcoin,
  },
  solana: {
    open: openSolanas,
    scale: 1_000n,
    // A signature costs 5,000 lamports. The other lamports are a thousand compute units and the rest of their price.
    answers: (rate) => solanaPrice(String((rate - 5_000n) * 1_000n - 999n)),
    hostile: {
      negative: solanaPrice("-1000"),
      huge: solanaPrice("9".repeat(30)),
      exponent: solanaPrice("1e30"),
      text: solanaPrice('"cheap"'),
      fraction: solanaPrice("1000.5"),
      null: solanaPrice("null"),
      missing: solanaSays('[{"slot":1}]'),
      "a list of nothing": solanaSays("[null]"),
      "no list": solanaSays('{"prioritizationFee":1000}'),
      "no rent": solanaSays("[]", "0"),
      "a rent in words": solanaSays("[]", '"much"'),
      "one bad price among good ones": solanaSays(
        '[{"prioritizationFee":1},{"prioritizationFee":-1},{"prioritizationFee":1}]',
      ),
    },
    dialect: ofJsonRpc,
  },
  xrp: {
    open: (common) => makeXrpFeeMarket({ ...common, networkId: 1 }),
    scale: 1n,
    answers: (rate) => xrpSays(`"${rate}"`),
    hostile: {
      negative: xrpSays('"-20"'),
      zero: xrpSays('"0"', '"0"'),
      huge: xrpSays(`"${"9".repeat(30)}"`),
      exponent: xrpSays("1e9"),
      text: xrpSays('"cheap"'),
      fraction: xrpSays('"20.5"'),
      null: xrpSays("null"),
      "no base fee": { ...xrpSays("{}"), fee: '{"status":"success","drops":{}}' },
      "no drops": { ...xrpSays("{}"), fee: '{"status":"success"}' },
      "a refusal": { server_info: xrpSays("1")["server_info"] ?? "" },
    },
    dialect: ofRippled,
  },
};

interface Endpoint {
  readonly url: string;
  answers: Answers;
  close(): Promise<void>;
}

async function startEndpoint(dialect: Dialect): Promise<Endpoint> {
  const read = async (request: IncomingMessage): Promise<string> => {
    let text = "";
    for await (const part of request) text += String(part);
    const body = JSON.parse(text) as Question | readonly Question[];
    const questions = Array.isArray(body) ? (body as Question[]) : [body as Question];
    return dialect(questions, endpoint.answers, request.url ?? "");
  };
  const server = createServer((request, response) => {
    void read(request).then((text) => response.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: {},
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return endpoint;
}

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Opens a market whose endpoints give these answers. More than half of them must agree. */
async function openMarket(
  { open, dialect }: Pick<Row, "open" | "dialect">,
  answers: readonly Answers[],
) {
  const endpoints = await Promise.all(answers.map(() => startEndpoint(dialect)));
  for (const [index, endpoint] of endpoints.entries()) {
    endpoint.answers = answers[index] ?? {};
    opened.push(() => endpoint.close());
  }
  const suspects: string[] = [];
  const market = open({
    networkCode: "test",
    endpoints: endpoints.map(({ url }, index) => ({ name: `node-${index}`, url, isOwn: false })),
    quorum: Math.floor(answers.length / 2) + 1,
    timeoutMs: 5_000,
    suspect: (endpoint) => suspects.push(endpoint),
  });
  opened.push(() => market.close());
  return { market, suspects };
}

const rateOf = async (row: Pick<Row, "open" | "dialect">, ...answers: readonly Answers[]) =>
  (await (await openMarket(row, answers)).market.readRates()).rate;

describe.each(Object.entries(ROWS))("the fee market of %s", (_kind, row) => {
  const { hostile } = row;
  const rate = (times: bigint): bigint => times * row.scale;
  const answers = (times: bigint): Answers => row.answers(rate(times));
  const honest = answers(40n);

  test("is the rate that its endpoints agree on", async () => {
    expect(await rateOf(row, honest, honest, honest)).toBe(rate(40n));
  });

  test("is the lower middle of rates within a factor of two", async () => {
    expect(await rateOf(row, honest, answers(60n))).toBe(rate(40n));
    expect(await rateOf(row, answers(80n), honest, answers(60n))).toBe(rate(60n));
  });

  test("is not set by one endpoint, which is named", async () => {
    for (const lie of [4_000n, 18n]) {
      const { market, suspects } = await openMarket(row, [honest, answers(lie), honest]);
      // The lie may come too late to be among the answers that count.
      const read = async () => {
        expect((await market.readRates()).rate).toBe(rate(40n));
        return suspects;
      };
      await expect.poll(read).toContain("node-1");
    }
  });

  test("is unknown while endpoints contradict each other, and nobody knows which of them is wrong", async () => {
    const { market, suspects } = await openMarket(row, [honest, answers(400n)]);
    const [low, high] = [`${rate(40n)} \\(node-0\\)`, `${rate(400n)} \\(node-1\\)`];
    await expect(market.readRates()).rejects.toThrow(
      new RegExp(`2 endpoints must agree, and they say (${low}, ${high}|${high}, ${low})$`),
    );
    expect(suspects).toEqual([]);
  });

  test.each(Object.keys(hostile))("%s is a fault of its endpoint", async (name) => {
    const bad = hostile[name] ?? {};
    expect(await rateOf(row, bad, honest, honest)).toBe(rate(40n));
    await expect(rateOf(row, bad, honest, bad)).rejects.toThrow(
      /fees: 2 endpoints must agree, 1 did; .*node-/,
    );
  });
});

test("a byte of the Bitcoin family costs the next whole number of units", async () => {
  const row = { open: openCoins, dialect: ofBitcoin };
  expect(await rateOf(row, bitcoinSays("0.00001001"))).toBe(2n);
  expect(await rateOf(row, bitcoinSays("0.00002000"))).toBe(2n);
  expect(await rateOf(row, bitcoinSays("0.00000001", "0.00000001"))).toBe(1n);
});

test("a byte costs at least what nodes take, and a fixed rate while they have no estimate", async () => {
  const row = { open: openCoins, dialect: ofBitcoin };
  expect(await rateOf(row, bitcoinSays("0.00001000", "0.00009000"))).toBe(9n);
  const without = { ...bitcoinSays("0"), estimatesmartfee: '{"errors":["too few"],"blocks":0}' };
  expect(await rateOf(row, without)).toBe(7n);
  const { estimatesmartfee: _, ...refused } = without;
  expect(await rateOf(row, refused)).toBe(7n);
});

test("a payment on the XRP Ledger costs at least the base fee", async () => {
  const { xrp } = ROWS;
  if (!xrp) throw new Error("the table has no row");
  expect(await rateOf(xrp, xrpSays('"9"', '"12"'))).toBe(12n);
  expect(await rateOf(xrp, xrpSays('"5000"'))).toBe(5_000n);
});

test("a transfer of Solana costs its signature, and the middle price of its compute units at most", async () => {
  const row = { open: openSolanas, dialect: ofJsonRpc };
  const prices = (...values: readonly number[]): Answers =>
    solanaSays(JSON.stringify(values.map((prioritizationFee) => ({ prioritizationFee }))));
  // The price of each payout has up to 999 millionths more, which round up to a lamport.
  expect(await rateOf(row, prices())).toBe(5_001n);
  expect(await rateOf(row, prices(0, 0, 9_000_000))).toBe(5_001n);
  expect(await rateOf(row, prices(9_000_000, 0, 2_000_000))).toBe(7_001n);
  // The operator's least price counts above the network's.
  const dear = { ...row, open: (common: Common) => openSolanas(common, 4_000_000n) };
  expect(await rateOf(dear, prices(0, 0, 0))).toBe(9_001n);
  expect(await rateOf(dear, prices(5_000_000))).toBe(10_001n);
});

test("a payment of a token of Solana costs its own compute units, and the rent of each byte", async () => {
  const row = { open: openSolanas, dialect: ofJsonRpc };
  const read = async (...answers: readonly Answers[]) =>
    (await openMarket(row, answers)).market.readRates();
  const fees = '[{"prioritizationFee":500000}]';
  const usual = solanaSays(fees);
  expect(await read(usual)).toEqual({ rate: 5_501n, tokenRate: 45_080n, byteRate: 6_960n });
  // A rent that 293 bytes do not divide is rounded up.
  expect(await read(solanaSays(fees, "2039281"))).toMatchObject({ byteRate: 6_961n });
  const dear = solanaSays(fees, "20392800");
  expect(await read(usual, dear, usual)).toMatchObject({ byteRate: 6_960n });
  await expect(read(usual, dear)).rejects.toThrow(/2 endpoints must agree, and they say/);
});

test("a transfer of Tron pays for bytes too, whose price the endpoints must agree on as well", async () => {
  const row = { open: openTrons, dialect: ofTron };
  const read = async (...answers: readonly Answers[]) =>
    (await openMarket(row, answers)).market.readRates();
  const [cheap, usual, dear] = ["400", "1000", "1900"].map((price) => tronSays("40", price));
  if (!cheap || !usual || !dear) throw new Error("three endpoints");
  expect(await read(usual, dear, usual)).toEqual({ rate: 40n, byteRate: 1_000n });
  expect(await read(usual, dear)).toEqual({ rate: 40n, byteRate: 1_000n });
  await expect(read(cheap, usual)).rejects.toThrow(/2 endpoints must agree, and they say/);
});
