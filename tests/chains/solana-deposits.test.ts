import { pbkdf2Sync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeSolanaReader } from "../../apps/server/src/adapters/chains/solana/reader.ts";
import { depositAddressOf, isOnCurve } from "../../apps/server/src/domain/wallets/solana.ts";
import { deriveEd25519 } from "../../apps/server/src/signer/slip10.ts";
import { statement } from "../../apps/server/src/storage/postgres/database.ts";
import { TEST_WORDS } from "../../apps/server/src/testing/signer.ts";
import { strangerOf } from "./world/solana-chain.ts";
import { loseSlots } from "./world/solana-gap.ts";
import type { SolanaNode } from "./world/solana-node.ts";
import { makeSolanaWorld, SOLANA_ACCOUNT, type SolanaWorld } from "./world/solana-world.ts";

const SOL = 10n ** 9n;
const TERMS = statement(
  "test_solana_movements",
  "select count(*)::int as count from chain_movements where network_code = 'solana'",
);

/** Scenarios of deposits on servers that speak as a node of Solana does. A real virtual machine judges every payment. */
describe("deposits on Solana", () => {
  let world: SolanaWorld;

  beforeEach(async () => {
    world = await makeSolanaWorld();
  });
  afterEach(() => world.close());

  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };
  const statesOf = async (index: number): Promise<readonly string[]> =>
    (await world.movements(index)).map(({ source, state }) => `${source} ${state}`);
  const pay = (index: number, units: bigint) =>
    world.chain.pay([{ to: world.address(index), units }]);

  test("SOL is seen, final with the finalized block, and credited once", async () => {
    const signature = await pay(0, SOL);
    await world.scan();
    expect(await statesOf(0)).toEqual(["value seen"]);
    const [movement] = await world.movements(0);
    expect([movement?.transactionHash, movement?.address]).toEqual([signature, world.address(0)]);
    await isRight({});
    world.chain.mine(31);
    await world.scan();
    await isRight({});
    world.chain.mine(1);
    await world.scan();
    await isRight({ 0: SOL });
    await world.settle();
    await isRight({ 0: SOL });
  });

  test("many transfers in one transaction are one deposit of each address, with their sum", async () => {
    const to = (index: number, units: bigint) => ({ to: world.address(index), units });
    await world.chain.pay([to(0, SOL), to(1, 2n * SOL), to(0, 3n * SOL), to(2, 5n * SOL)]);
    await world.settle();
    await isRight({ 0: 4n * SOL, 1: 2n * SOL, 2: 5n * SOL });
    expect(await statesOf(0)).toEqual(["value final"]);
  });

  test("a transaction that fails brings nothing, although it names the address", async () => {
    const payer = await world.chain.stranger(SOL);
    // The second transfer fails, so the first one is undone.
    const transfers = [
      { to: world.address(0), units: SOL / 2n },
      { to: world.address(1), units: SOL },
    ];
    await world.chain.pay(transfers, payer);
    // An account needs some 0.00089 SOL at least.
    await pay(2, 890_879n);
    expect(
      world.chain.blocks.flatMap((block) => block.transactions.map((one) => one.error)),
    ).toContain("TransactionErrorInsufficientFundsForRent { account_index: 1 }");
    await pay(3, 890_880n);
    await world.settle();
    await isRight({ 3: 890_880n });
    expect(await world.database.query(TERMS)).toEqual([{ count: 1 }]);
  });

  test("a dropped deposit is taken back, and one that is in another block is the same one", async () => {
    await pay(0, SOL);
    await world.scan();
    world.chain.drop(1);
    world.chain.mine(2);
    await world.scan();
    expect(await statesOf(0)).toEqual(["value orphaned"]);
    world.chain.mine(1);
    await pay(1, SOL);
    await world.scan();
    const [seen] = await world.movements(1);
    const [bytes] = world.chain.drop(1);
    // The slot of the dropped block stays empty.
    world.chain.skip(1);
    if (bytes) world.chain.execute(bytes);
    await world.scan();
    const [moved, ...others] = await world.movements(1);
    expect(others).toEqual([]);
    expect(moved).toMatchObject({ id: seen?.id, state: "seen" });
    expect(moved?.height).not.toBe(seen?.height);
    await world.settle();
    await isRight({ 1: SOL });
    expect(await world.problem()).toBeNull();
  });

  test("slots without a block are not a reorganisation", async () => {
    await pay(0, SOL);
    world.chain.skip(7);
    await world.scan();
    world.chain.skip(40);
    await pay(0, SOL);
    await world.scan();
    // These are more than one span.
    world.chain.skip(1_100);
    await pay(1, SOL);
    await world.scan();
    world.chain.skip(3);
    await world.settle();
    await isRight({ 0: 2n * SOL, 1: SOL });
    expect(await world.problem()).toBeNull();
  });

  test("a worker that was away for hundreds of slots catches up", async () => {
    for (let round = 0; round < 3; round += 1) {
      world.chain.mine(290);
      await pay(round, BigInt(round + 1) * SOL);
      world.chain.skip(9);
    }
    await world.settle();
    await isRight({ 0: SOL, 1: 2n * SOL, 2: 3n * SOL });
  });

  test("more transactions than one answer holds are all credited", async () => {
    for (let round = 0; round < 17; round += 1) await pay(0, 1_000_000n);
    await world.settle();
    await isRight({ 0: 17n * 1_000_000n });
    expect(await statesOf(0)).toEqual(Array.from({ length: 17 }, () => "value final"));
  });

  test("a balance of a block that was not read yet is not believed", async () => {
    await pay(0, SOL);
    world.chain.mine(40);
    let happened: Promise<unknown> | undefined;
    for (const server of world.servers) {
      server.before = async ({ method }) => {
        if (method !== "getMultipleAccounts") return;
        happened ??= pay(0, 7n * SOL).then(() => world.chain.mine(80));
        await happened;
      };
    }
    expect(await world.step()).toBe("failed");
    await isRight({});
    await world.settle();
    await isRight({ 0: 8n * SOL });
  });

  test("a payment that the list of an address hides is credited once, by the balance", async () => {
    const hidden = await pay(4, SOL);
    const hide = (list: unknown) =>
      (list as { signature: string }[]).filter(({ signature }) => signature !== hidden);
    for (const server of world.servers) {
      server.rewrite = ({ method }, answer) =>
        method === "getSignaturesForAddress" ? hide(answer) : answer;
    }
    await world.settle();
    for (const server of world.servers) server.rewrite = (_, answer) => answer;
    await world.settle();
    await isRight({ 4: SOL });
    expect(await statesOf(4)).toEqual(["balance final"]);
  });

  test("the key of the account collects a deposit, and what left is explained", async () => {
    const account = await strangerOf(
      deriveEd25519(
        pbkdf2Sync(TEST_WORDS.deposits, "mnemonic", 2_048, 64, "sha512"),
        "m/44'/501'/0'/0'",
      ),
    );
    expect(account.address).toBe(SOLANA_ACCOUNT);
    const { chain } = world;
    await chain.pay([{ to: account.address, units: SOL }]);
    await pay(3, 5n * SOL);
    await world.settle();
    const { seed } = depositAddressOf(account.address, 3);
    const to = (await chain.stranger()).address;
    await chain.payWithSeed(account, seed, { from: world.address(3), to, units: 5n * SOL });
    await world.settle();
    expect([chain.lamports(world.address(3)), chain.lamports(to)]).toEqual([0n, 5n * SOL]);
    expect(await world.credited()).toEqual({ 3: 5n * SOL });
    await pay(3, 2n * SOL);
    await world.settle();
    expect(await world.credited()).toEqual({ 3: 7n * SOL });
    expect(await world.problem()).toBeNull();
  });

  test("deposit addresses are those that wallets take for a wallet's", () => {
    for (let index = 0; index < 200; index += 1) {
      expect(isOnCurve(depositAddressOf(SOLANA_ACCOUNT, index).address)).toBe(true);
    }
    const addresses = Array.from({ length: 200 }, (_, at) => depositAddressOf(SOLANA_ACCOUNT, at));
    expect(new Set(addresses.map(({ address }) => address)).size).toBe(200);
  });

  test("servers that are behind delay a deposit, and credit it once", async () => {
    await pay(0, SOL);
    const [first, second] = world.servers;
    for (const server of [first, second]) if (server) server.behind = 60;
    world.chain.mine(40);
    for (let turn = 0; turn < 3; turn += 1) await world.step();
    await isRight({});
    if (first) first.behind = 3;
    await world.settle();
    await isRight({ 0: SOL });
  });

  test("one server that invents, hides or changes a deposit is not believed, and is named", async () => {
    const [liar] = world.servers;
    const lies: readonly SolanaNode["rewrite"][] = [
      ({ method }, answer) => (method === "getSignaturesForAddress" ? [] : answer),
      ({ method }, answer) => {
        const { meta } = (answer ?? {}) as { meta?: { postBalances: bigint[] } };
        if (method !== "getTransaction" || !meta) return answer;
        const postBalances = meta.postBalances.map((units) => units + 10n);
        return { ...(answer as object), meta: { ...meta, postBalances } };
      },
      ({ method }, answer) =>
        method === "getMultipleAccounts"
          ? JSON.parse(JSON.stringify(answer, (_, one) => (typeof one === "bigint" ? 999 : one)))
          : answer,
    ];
    for (const [index, lie] of lies.entries()) {
      if (liar) liar.rewrite = lie;
      await pay(index, SOL);
      await world.settle();
    }
    await isRight({ 0: SOL, 1: SOL, 2: SOL });
    expect(new Set(world.suspects)).toEqual(new Set(["server 0"]));
  });

  test("with two servers that lie nothing is believed, and nothing is lost", async () => {
    for (const server of world.servers.slice(0, 2)) {
      server.rewrite = ({ method }, answer) =>
        method === "getBlock" ? { ...(answer as object), blockhash: world.chain.genesis } : answer;
    }
    await pay(0, SOL);
    world.chain.mine(40);
    expect(await world.step()).toBe("failed");
    await isRight({});
    for (const server of world.servers) server.rewrite = (_, answer) => answer;
    await world.settle();
    await isRight({ 0: SOL });
  });

  test("a gap in the ledger of a node is not crossed, and the deposits of it are credited later", async () => {
    const from = world.chain.head().slot + 1n;
    await pay(0, SOL);
    world.chain.mine(80);
    const before = await world.final();
    for (const server of world.servers) loseSlots(server, world.chain, { from, to: from + 20n });
    expect(await world.step()).toBe("failed");
    expect(await world.problem()).toContain("its ledger lacks blocks between the slots");
    // Shorter spans, down to those inside of the gap.
    for (let turn = 0; turn < 12; turn += 1) await world.step();
    expect(await world.final()).toBe(before);
    for (const server of world.servers) {
      Object.assign(server, { before: () => {}, rewrite: (_: unknown, one: unknown) => one });
    }
    await world.settle();
    await isRight({ 0: SOL });
    expect(await statesOf(0)).toEqual(["value final"]);
  });

  test("lamports with more digits than a number of JavaScript holds are exact", async () => {
    const units = 9_007_199_254_740_993n;
    await pay(5, units);
    await world.settle();
    await isRight({ 5: units });
  });

  test("an endpoint of another network is not believed", async () => {
    const other = makeSolanaReader({
      networkCode: "solana",
      genesis: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
      endpoints: world.servers.map(({ url }, at) => ({ name: `server ${at}`, url, isOwn: false })),
      quorum: 2,
      timeoutMs: 20_000,
      finality: { tag: "finalized", atLeast: 32 },
      depositsAccount: SOLANA_ACCOUNT,
      suspect: () => {},
    });
    await expect(other.heads()).rejects.toThrow("its first block is");
    await other.close();
  });
});
