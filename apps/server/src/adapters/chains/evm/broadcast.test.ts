import { expect, test } from "vitest";
import { type Rpc, RpcRefusal } from "../rpc.ts";
import { sendTo } from "./broadcast.ts";

const refusing = (message: string): Rpc => ({
  name: "node",
  ask: () => Promise.reject(new RpcRefusal(message, -32_000)),
  close: async () => {},
});

// The words of Geth, Nethermind, Besu, Erigon and Reth.
test.each([
  "already known",
  "AlreadyKnown",
  "Known transaction",
  "nonce too low: next nonce 7, tx nonce 6",
  "INTERNAL_ERROR: existing tx with same hash",
  "OldNonce, Current nonce: 7, nonce of rejected tx: 6",
  "Nonce too low",
  "transaction underpriced",
  "replacement transaction underpriced",
  "INTERNAL_ERROR: could not replace existing tx",
  "FeeTooLow, MaxFeePerGas too low",
  "FeeTooLowToCompete",
  "ReplacementNotAllowed",
  "Gas price below current base fee",
  "Gas price below configured minimum gas price",
  "max fee per gas less than block base fee: address 0x00",
])("after %j the transaction is looked for", async (message) => {
  expect(await sendTo(refusing(message), Uint8Array.of(2))).toBeUndefined();
});

test.each(["insufficient funds for gas * price + value", "invalid sender", "InsufficientFunds"])(
  "%j is a refusal",
  async (message) => {
    expect(await sendTo(refusing(message), Uint8Array.of(2))).toBe(message);
  },
);
