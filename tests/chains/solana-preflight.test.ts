import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSolanaSender } from "../../apps/server/src/adapters/chains/solana/sender.ts";
import { Disagreement } from "../../apps/server/src/domain/ports/chain-reader.ts";
import type { DeadlineSender, UnderWay } from "../../apps/server/src/domain/ports/chain-sender.ts";
import { makeSolanaChain, type SolanaChain, type Stranger } from "./world/solana-chain.ts";
import { type SolanaNode, startSolanaNode } from "./world/solana-node.ts";
import { newSolanaAddress } from "./world/solana-paying.ts";

const SOL = 10n ** 9n;
const FEE_MAX = 100_000n;
/** The lamports that an account needs. */
const LEAST = 890_880n;

describe("before a payment on Solana", () => {
  let chain: SolanaChain;
  let nodes: readonly SolanaNode[];
  let hot: Stranger;
  let sender: DeadlineSender;

  beforeAll(async () => {
    chain = await makeSolanaChain();
    hot = await chain.stranger(10n * SOL);
    nodes = await Promise.all([0, 1, 2].map(() => startSolanaNode(chain)));
    sender = makeSolanaSender({
      endpoints: {
        networkCode: "solana",
        genesis: chain.genesis,
        endpoints: nodes.map(({ url }, at) => ({ name: `node-${at}`, url, isOwn: false })),
        quorum: 2,
        timeoutMs: 10_000,
        finality: { tag: "finalized", atLeast: 32 },
        suspect: () => {},
      },
      wallet: { name: "solana-hot", address: hot.address },
      signerSocket: "/nowhere",
      feeMax: FEE_MAX,
      unitPriceMin: 0n,
      expirationSeconds: 60,
      graceBlocks: 32,
      tokenOf: () => null,
      gasFloor: 0n,
      pollMs: 100,
      now: Date.now,
    });
  });
  afterAll(async () => {
    await sender.close();
    await Promise.all(nodes.map((node) => node.close()));
  });

  const ask = (
    units: bigint,
    underWay: Partial<UnderWay> = {},
    address: string = newSolanaAddress(),
  ) =>
    sender.preflight(
      {
        intentId: randomUUID(),
        networkCode: "solana",
        assetReference: "sol",
        address,
        memo: null,
        units,
      },
      { readTo: chain.head().slot, payments: [], sends: 0, ...underWay },
    );
  /** The most that can be paid beside sends that pay these units. */
  const spare = (underWay: bigint, sends: bigint): bigint =>
    10n * SOL - LEAST - underWay - (sends + 1n) * FEE_MAX;

  test.each([
    [0n, 0n],
    [3n * SOL, 2n],
    // Sweeps pay nobody, and cost fees.
    [0n, 5n],
  ])("the wallet pays all but %s and the fees of %s sends under way", async (units, sends) => {
    const underWay = { payments: [{ assetReference: "sol", units }], sends: Number(sends) };
    expect(await ask(spare(units, sends), underWay)).toEqual({ state: "clear" });
    const answer = await ask(spare(units, sends) + 1n, underWay);
    expect(answer).toMatchObject({ state: "wait" });
    const reserveNote = `keeps ${LEAST} lamports, without which the network refuses its transactions`;
    const taken = `. ${sends} transactions under way take up to ${units + sends * FEE_MAX} of the wallet's lamports`;
    expect(answer).toMatchObject({
      why: `the hot wallet ${hot.address} ${reserveNote}${sends > 0n ? taken : ""}`,
    });
  });

  test("a wallet without the coins says what it has and what others take", async () => {
    const answer = await ask(8n * SOL, {
      payments: [{ assetReference: "sol", units: 3n * SOL }],
      sends: 1,
    });
    expect(answer).toMatchObject({
      state: "wait",
      why: `the hot wallet ${hot.address} has ${10n * SOL} lamports, and ${8n * SOL} and a fee of up to ${FEE_MAX} are needed. 1 transaction under way takes up to ${3n * SOL + FEE_MAX} of the wallet's lamports`,
    });
  });

  test("an account whose balance changes with each block is paid, also little", async () => {
    const busy = newSolanaAddress();
    for (let block = 0; block < 3; block += 1) await chain.pay([{ to: busy, units: SOL }]);
    for (const [at, node] of nodes.entries()) node.behind = at;
    const readTo = chain.head().slot - 2n;
    expect(await ask(SOL, { readTo }, busy)).toEqual({ state: "clear" });
    expect(await ask(1n, { readTo }, busy)).toEqual({ state: "clear" });
    expect(await ask(LEAST - 1n, { readTo })).toMatchObject({ state: "rejected" });
    for (const node of nodes) node.behind = 0;
  });

  test("a balance from before the scanner's newest block is not believed", async () => {
    const [first, second] = nodes;
    await chain.pay([{ to: newSolanaAddress(), units: SOL }]);
    if (first) first.behind = 1;
    expect(await ask(SOL)).toEqual({ state: "clear" });
    if (second) second.behind = 1;
    await expect(ask(SOL)).rejects.toThrow(Disagreement);
    for (const node of nodes) node.behind = 0;
  });
});
