import { expect, test } from "vitest";
import type { Quorum } from "./agree.ts";
import { TRANSFER, topicOf } from "./evm/logs.ts";
import { findMined as findEvm } from "./evm/mined.ts";
import { EndpointFault, type Rpc } from "./rpc.ts";
import { findMined as findTron } from "./tron/mined.ts";
import { readMove } from "./xrp/moves.ts";

/** One endpoint, which is believed. */
const believing = (answers: Readonly<Record<string, unknown>>): Quorum => {
  const rpc: Rpc = {
    name: "node",
    ask: async (calls) => calls.map(([method]) => answers[method] ?? null),
    close: async () => {},
  };
  return {
    agree: async ({ ask }: { readonly ask: (rpc: Rpc) => Promise<unknown> }) => ask(rpc),
  } as unknown as Quorum;
};

const HASH = `0x${"ab".repeat(32)}`;
const BLOCK = `0x${"cd".repeat(32)}`;
const [FROM, TO, TOKEN] = ["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const RECEIPT = {
  ...{ transactionHash: HASH, blockHash: BLOCK, blockNumber: "0x60", status: "0x1" },
  ...{ gasUsed: "0x5208", effectiveGasPrice: "0x1" },
  logs: [
    {
      address: TOKEN,
      topics: [TRANSFER, topicOf(FROM), topicOf(TO)],
      data: `0x${"0".repeat(63)}5`,
    },
  ],
};
const readEvm = (changes: object) =>
  findEvm(
    believing({
      eth_getTransactionReceipt: { ...RECEIPT, ...changes },
      eth_getBlockByNumber: { hash: BLOCK },
    }),
    { hashes: [HASH], expected: { from: FROM, to: TO, contract: TOKEN }, isFinal: true },
  );

test("an EVM receipt says whether its transaction was reverted", async () => {
  expect(await readEvm({})).toMatchObject({ isSuccess: true, moved: 5n, events: 1 });
  expect(await readEvm({ status: "0x0" })).toMatchObject({ isSuccess: false });
  expect(await readEvm({ logs: [] })).toMatchObject({ isSuccess: true, moved: 0n, events: 0 });
});

test.each([
  ["an unknown status", { status: "0x2" }],
  ["a status that is a boolean", { status: true }],
  ["no status", { status: undefined }],
  ["no list of logs", { logs: null }],
  ["no logs", { logs: undefined }],
])("an EVM receipt with %s is a fault of its endpoint, and no outcome", async (_name, changes) => {
  await expect(readEvm(changes)).rejects.toThrow(EndpointFault);
});

const INFO = { id: "ab", blockNumber: "96", fee: "1", receipt: { result: "SUCCESS" }, log: [] };
const readTron = (changes: object) =>
  findTron(believing({ "/walletsolidity/gettransactioninfobyid": { ...INFO, ...changes } }), {
    ...{ hash: "ab", from: "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf", isFinal: true },
    transfer: {
      to: "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf",
      contract: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    },
  });

test("a Tron transaction says why it moved nothing", async () => {
  expect(await readTron({})).toMatchObject({ result: "SUCCESS" });
  expect(await readTron({ receipt: { result: "OUT_OF_ENERGY" } })).toMatchObject({
    result: "OUT_OF_ENERGY",
  });
});

test.each([
  ["no result", undefined],
  ["an empty result", ""],
  ["a result that is no word", "OUT \u0000"],
  ["a result in other letters", "success"],
  ["a number as its result", "1"],
])(
  "a Tron transaction with %s is a fault of its endpoint, and no outcome",
  async (_name, result) => {
    await expect(readTron({ receipt: { result } })).rejects.toThrow(EndpointFault);
  },
);

const [OWN, OTHER] = ["rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH", "rLHzPsX6oXkzU2qL12kHCH8G8cnZv1rBJh"];
const NODE: Rpc = { name: "node", ask: async () => [], close: async () => {} };
const readXrp = (meta: object) =>
  readMove(
    NODE,
    {
      ...{ TransactionType: "Payment", hash: "AB".repeat(32), ledger_index: "96", Fee: "12" },
      ...{ Account: OWN, Destination: OTHER, Sequence: "7" },
      meta: { TransactionResult: "tesSUCCESS", AffectedNodes: [], ...meta },
    },
    OWN,
  );

test("an XRP transaction says why it moved nothing", () => {
  expect(readXrp({})).toMatchObject({ result: "tesSUCCESS" });
  expect(readXrp({ TransactionResult: "tecNO_DST" })).toMatchObject({ result: "tecNO_DST" });
});

test.each([
  ["no result", undefined],
  ["an empty result", ""],
  ["a number as its result", "0"],
  ["the result of a transaction that no ledger has", "terQUEUED"],
  ["a result with a control character", "tecNO_DST\u0000"],
])("an XRP transaction with %s is a fault of its endpoint, and no outcome", (_name, result) => {
  expect(() => readXrp({ TransactionResult: result })).toThrow(EndpointFault);
});
