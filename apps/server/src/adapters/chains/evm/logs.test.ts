import { expect, test } from "vitest";
import type { Rpc } from "../rpc.ts";
import { readTransfers, TRANSFER, topicOf } from "./logs.ts";

const RPC: Rpc = { name: "node", ask: async () => [], close: async () => {} };
const [FROM, TO, TOKEN] = ["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const BLOCK = `0x${"cd".repeat(32)}`;
const logOf = (index: string, units: string) => ({
  ...{ address: TOKEN, blockHash: BLOCK, blockNumber: "0x60", logIndex: index },
  ...{ transactionHash: `0x${"ab".repeat(32)}`, data: `0x${units.padStart(64, "0")}` },
  topics: [TRANSFER, topicOf(FROM), topicOf(TO)],
});
const read = (logs: readonly ReturnType<typeof logOf>[]) =>
  readTransfers(RPC, {
    ...{ end: "to", addresses: [TO], logs, hashes: new Map([[0x60n, BLOCK]]) },
    assets: [{ assetId: 1, contract: TOKEN }],
  }).map(({ units, log }) => [log.index, units]);

test("a log that an endpoint lists twice is one transfer, and its neighbour another", () => {
  expect(read([logOf("0x1", "5"), logOf("0x2", "5"), logOf("0x1", "5")])).toEqual([
    [1n, 5n],
    [2n, 5n],
  ]);
});
