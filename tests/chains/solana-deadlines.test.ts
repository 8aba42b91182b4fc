import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeSolanaSender } from "../../apps/server/src/adapters/chains/solana/sender.ts";
import type { ChainSend } from "../../apps/server/src/domain/ports/chain-gateway.ts";
import type { DeadlineSender, FeeTerms } from "../../apps/server/src/domain/ports/chain-sender.ts";
import { makeSolanaChain, type SolanaChain } from "./world/solana-chain.ts";
import { loseSlots } from "./world/solana-gap.ts";
import { FINAL_BELOW, type SolanaNode, startSolanaNode } from "./world/solana-node.ts";
import { newSolanaAddress, SOLANA_HOT } from "./world/solana-paying.ts";

const UNITS = 10n ** 9n;

/** One node, whose word is enough. A transaction that is called dead is paid again. */
describe("the proof that no block of Solana can have a transaction", () => {
  let chain: SolanaChain;
  let node: SolanaNode;
  let sender: DeadlineSender;
  let send: ChainSend;

  beforeEach(async () => {
    chain = await makeSolanaChain();
    node = await startSolanaNode(chain);
    sender = makeSolanaSender({
      endpoints: {
        networkCode: "solana",
        genesis: chain.genesis,
        endpoints: [{ name: "only", url: node.url, isOwn: true }],
        quorum: 1,
        timeoutMs: 20_000,
        finality: { tag: "finalized", atLeast: 32 },
        suspect: () => {},
      },
      wallet: { name: "hot", address: SOLANA_HOT },
      signerSocket: "",
      feeMax: 100_000n,
      unitPriceMin: 0n,
      expirationSeconds: 3,
      graceBlocks: 4,
      tokenOf: () => null,
      gasFloor: 0n,
      pollMs: 50,
      now: Date.now,
    });
    send = {
      id: "1",
      networkCode: "solana",
      outputs: [{ intentId: "1", to: newSolanaAddress(), units: UNITS }],
    } as unknown as ChainSend;
  });
  afterEach(async () => {
    await sender.close();
    await node.close();
  });

  const outcomeOf = async (transactionHash: string, terms: FeeTerms): Promise<string> => {
    const signed = [{ networkCode: "solana", transactionHash, bytes: Uint8Array.of(1) }];
    const finalHeight = chain.head().slot - FINAL_BELOW;
    return (await sender.follow(send, signed, { finalHeight, terms })).state;
  };

  test("holds for one that no block took, and not before its last block is final", async () => {
    const terms = await sender.feeTerms(send);
    const never = "1".repeat(64);
    chain.skip(30);
    chain.mine(155);
    expect(await outcomeOf(never, terms)).toBe("waiting");
    chain.mine(95);
    expect(await outcomeOf(never, terms)).toBe("lost");
  });

  test("does not hold where the node lacks a block that could have it", async () => {
    const terms = await sender.feeTerms(send);
    const { slot } = chain.head();
    const mined = await chain.pay([{ to: newSolanaAddress(), units: UNITS }]);
    chain.mine(250);
    loseSlots(node, chain, { from: slot + 1n, to: slot + 21n });
    expect(await outcomeOf(mined, terms)).toBe("waiting");
    // Also where the gap ends after the last valid block, or begins before the block that is named.
    loseSlots(node, chain, { from: slot + 1n, to: slot + 200n });
    expect(await outcomeOf(mined, terms)).toBe("waiting");
    loseSlots(node, chain, { from: slot - 35n, to: slot + 1n });
    expect(await outcomeOf(mined, terms)).toBe("waiting");
  });

  test("is never made of terms that do not say the slot of the block that they name", async () => {
    const { referenceSlot, ...terms } = await sender.feeTerms(send);
    expect(referenceSlot).toMatch(/^\d+$/);
    chain.mine(250);
    expect(await outcomeOf("1".repeat(64), terms)).toBe("waiting");
  });
});
