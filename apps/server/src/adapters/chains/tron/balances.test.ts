import { expect, test } from "vitest";
import type { Rpc } from "../rpc.ts";
import { readSolidBalances } from "./balances.ts";

const ADDRESS = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH";
const CONTRACT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const HASH = `0x${"ab".repeat(32)}`;
const WORD = "7".padStart(64, "0");

/** Asks a node that has 5 TRX at the address, and answers so about its token. */
function readBoth(tokenAnswer: object) {
  const rpc: Rpc = {
    name: "node",
    ask: async (calls) =>
      calls.map(([method]) => {
        if (method === "eth_getBlockByNumber") return { number: "0x9", hash: HASH };
        return method === "/walletsolidity/getaccount" ? { balance: "5" } : tokenAnswer;
      }),
    close: async () => {},
  };
  const places = [CONTRACT, null].map((contract) => ({
    address: ADDRESS,
    asset: { assetId: 1, contract },
  }));
  const block = { height: 9n, hash: HASH, parent: HASH };
  return readSolidBalances(rpc, { block, places, ahead: 0n });
}

test("a token's balance is the word that its contract returns", async () => {
  expect(await readBoth({ result: { result: true }, constant_result: [WORD] })).toEqual([7n, 5n]);
});

const reverted = { result: true, message: "REVERT opcode executed" };

test.each([
  ["reverts", { result: reverted, constant_result: [""] }],
  ["reverts with a word", { result: reverted, constant_result: [WORD] }],
  ["returns nothing", { result: { result: true }, constant_result: [""] }],
  ["runs out of energy", { result: { code: "OTHER_ERROR", message: "4e6f7420656e6f756768" } }],
  ["does not exist", { result: { code: "CONTRACT_VALIDATE_ERROR", message: "6e6f" } }],
])("a token whose contract %s has no balance, and the others have theirs", async (_, answer) => {
  expect(await readBoth(answer)).toEqual([null, 5n]);
});

test.each([
  ["is busy", { result: { code: "SERVER_BUSY" } }],
  ["says nothing", {}],
])("a node that %s is at fault, and the token is not", async (_, answer) => {
  await expect(readBoth(answer)).rejects.toThrow("node: no answer about TR7N");
});
