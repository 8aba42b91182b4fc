import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptBranch } from "../../apps/server/src/flows/chains/accept-branch.ts";
import { operatorNamed } from "../../apps/server/src/testing/operators.ts";
import { COIN_NETWORK, type CoinWorld, LTC, makeCoinWorld } from "./world/coin-world.ts";
import { LITECOIND_PATH } from "./world/litecoind.ts";

/** The rows U1 to U15 of the scenarios of chains. The judge is the node's own set of coins. */
describe.skipIf(LITECOIND_PATH === "")("deposits on litecoind", () => {
  let world: CoinWorld;

  beforeEach(async () => {
    world = await makeCoinWorld();
  });
  afterEach(() => world.close());

  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };
  const raw = (txid: string): Promise<string> =>
    world.node.call<{ hex: string }>("gettransaction", txid).then(({ hex }) => hex);

  test("a deposit is seen in a block, is final exactly at the rule, and is credited once", async () => {
    await world.pay(0, 123_456_789n);
    await world.pay(1, 5_460n);
    await world.scan();
    expect(await world.statesOf(0)).toEqual([]);
    await world.mine(1);
    await world.scan();
    expect([await world.statesOf(0), await world.statesOf(1)]).toEqual([["seen"], ["seen"]]);
    await world.mine(4);
    await world.scan();
    await isRight({});
    await world.mine(1);
    await world.scan();
    const expected = { 0: 123_456_789n, 1: 5_460n };
    await isRight(expected);
    await world.restart();
    await world.settle();
    await isRight(expected);
  });

  test("two outputs of one transaction are two deposits, and another payment is a third", async () => {
    const amounts = { [world.address(0)]: "0.10000000", [world.address(1)]: "0.20000000" };
    await world.node.call("sendmany", "", amounts);
    await world.pay(0, 7_000n);
    await world.settle();
    await isRight({ 0: 10_007_000n, 1: 20_000_000n });
    expect(await world.statesOf(0)).toEqual(["final", "final"]);
  });

  test.each([1, 3, 5])(
    "a deposit %i blocks deep that is dropped is not credited",
    async (depth) => {
      await world.pay(0, 70_000n);
      await world.mine(depth);
      await world.scan();
      await world.reorganise(depth);
      await world.scan();
      expect(await world.statesOf(0)).toEqual(["orphaned"]);
      await isRight({});
      // It waits in the node's memory, and is mined once more.
      await world.settle();
      await isRight({ 0: 70_000n });
    },
  );

  test("the same transaction in another block is the same deposit", async () => {
    const txid = await world.pay(0, 70_000n);
    await world.mine(2);
    await world.scan();
    const [seen] = await world.movements(0);
    await world.reorganise(2, [await raw(txid)]);
    await world.scan();
    const [again, ...others] = await world.movements(0);
    expect(others).toEqual([]);
    expect(again).toMatchObject({ id: seen?.id, height: seen?.height, state: "seen" });
    expect(again?.blockHash).not.toBe(seen?.blockHash);
    await world.settle();
    await isRight({ 0: 70_000n });
  });

  test.each([1, 2])(
    "a deposit that is spent elsewhere at depth %i is worth nothing",
    async (depth) => {
      const [pay, takeBack] = await world.payAndTakeBack(0, 70_000n);
      await world.node.call("sendrawtransaction", pay);
      await world.mine(depth);
      await world.scan();
      expect(await world.statesOf(0)).toEqual(["seen"]);
      await world.reorganise(depth, [takeBack]);
      await world.settle();
      expect(await world.statesOf(0)).toEqual(["orphaned"]);
      await isRight({});
    },
  );

  test("a double spend of a credited deposit stops the network and names the loss", async () => {
    const [pay, takeBack] = await world.payAndTakeBack(0, 70_000n);
    const txid = await world.node.call("sendrawtransaction", pay);
    await world.settle();
    await isRight({ 0: 70_000n });
    const before = await world.finalHeight();
    await world.reorganise(6, [takeBack]);
    await world.pay(1, 9_000n);
    await world.mine(8);
    expect(new Set(await world.scanWithFaults())).toEqual(new Set(["failed"]));
    expect(await world.credited()).toEqual({ 0: 70_000n });
    expect(await world.finalHeight()).toBe(before);
    expect(await world.problem()).toContain(`may be lost: litecoin:${txid}:`);
    expect(await world.stops()).toEqual(["rail chain:litecoin"]);
  });

  test("after a branch was accepted, what it has is credited, and what it lost stays credited", async () => {
    const [pay, takeBack] = await world.payAndTakeBack(0, 70_000n);
    await world.node.call("sendrawtransaction", pay);
    const first = await world.pay(1, 9_000n);
    await world.settle();
    const late = await world.pay(2, 8_000n);
    await world.mine(1);
    await world.scan();
    expect(await world.statesOf(2)).toEqual(["seen"]);
    const last = await world.pay(3, 6_000n);
    await world.reorganise(9, [takeBack]);
    // The node forgot those that may not be mined so low.
    for (const txid of [first, late, last]) {
      await world.node.call("sendrawtransaction", await raw(txid)).catch(() => {});
    }
    await world.mine(8);
    expect((await world.scanWithFaults(2)).at(-1)).toBe("failed");
    const command = {
      networkCode: COIN_NETWORK,
      reason: "a reorganisation of 9 blocks",
      by: operatorNamed("anna"),
      assets: [{ assetId: LTC, contract: null }],
    };
    const deps = { database: world.database, environment: "dev" } as const;
    await acceptBranch(deps, world.reader(), command);
    await world.settle();
    expect(await world.credited()).toEqual({ 0: 70_000n, 1: 9_000n, 2: 8_000n, 3: 6_000n });
    expect(await world.holds()).toEqual({ 1: 9_000n, 2: 8_000n, 3: 6_000n });
  });

  test("a node that begins again with another chain changes nothing, and stops the network", async () => {
    await world.pay(0, 70_000n);
    await world.settle();
    const first = await world.node.call("getblockhash", 1);
    await world.node.call("invalidateblock", first);
    await world.scanWithFaults();
    expect(await world.problem()).toMatch(/1 endpoints must agree/);
    expect(await world.stops()).toEqual([]);
    const home = await world.node.call("getnewaddress");
    await world.node.call("generatetoaddress", 140, home);
    await world.scanWithFaults();
    expect(await world.problem()).toMatch(/dropped the final block/);
    expect(await world.stops()).toEqual(["rail chain:litecoin"]);
    expect(await world.credited()).toEqual({ 0: 70_000n });
  });

  test("an output of nothing, and coins to another's script, are not deposits", async () => {
    const home = await world.node.call("getnewaddress");
    await world.node.call("sendtoaddress", home, "1.0");
    // The node passes no such transaction on, but a miner may put one into a block.
    const [ofNothing] = await world.payAndTakeBack(0, 0n);
    await world.node.call("generateblock", home, [ofNothing]);
    await world.settle();
    expect(await world.holds()).toEqual({ 0: 0n });
    expect(await world.movements(0)).toEqual([]);
  });

  test("coins from the extension block are a deposit of the block's own transaction", async () => {
    const { node } = world;
    const height = Number(await node.call("getblockcount"));
    await world.mine(431 - height);
    // The first peg-in starts the extension block: the next block must have one.
    await node.call("sendtoaddress", await node.call("getnewaddress", "", "mweb"), "20");
    for (let block = 0; block < 10; block += 1) await world.mine(1);
    await node.call("createwallet", "private");
    const inside = await node.wallet("private", "getnewaddress", "", "mweb");
    await node.wallet("stranger", "sendtoaddress", inside, "9");
    await world.mine(2);
    await node.wallet("private", "sendtoaddress", world.address(0), "1");
    await world.mine(1);
    await world.scan();
    expect(await world.statesOf(0)).toEqual(["seen"]);
    const block = await node.call<{ tx: string[] }>(
      "getblock",
      await node.call("getbestblockhash"),
    );
    expect(await world.movements(0)).toMatchObject([{ transactionHash: block.tx.at(-1) }]);
    await world.settle();
    await isRight({ 0: 100_000_000n });
  });

  test("away for more blocks than a step reads, it catches up and misses nothing", async () => {
    const paid: Record<string, bigint> = {};
    for (let round = 0; round < 12; round += 1) {
      const units = BigInt(10_000 + round);
      await world.pay(round % 3, units);
      await world.mine(20);
      paid[round % 3] = (paid[round % 3] ?? 0n) + units;
    }
    await world.settle();
    await isRight(paid);
  });

  test("a coin of a miner is a deposit when it is final", async () => {
    await world.node.call("generatetoaddress", 1, world.address(2));
    await world.scan();
    expect(await world.statesOf(2)).toEqual(["seen"]);
    await world.settle();
    expect(Object.keys(await world.credited())).toEqual(["2"]);
    expect(await world.credited()).toEqual(await world.holds());
  });
});

describe.skipIf(LITECOIND_PATH === "")("nodes that fail or differ", () => {
  let world: CoinWorld;
  afterEach(() => world.close());

  test("a node that was killed and comes back below our cursor takes nothing back", async () => {
    world = await makeCoinWorld();
    const { node } = world;
    await node.stop();
    node.saveData();
    await node.start();
    await node.call("loadwallet", "stranger");
    await world.pay(0, 70_000n);
    await world.mine(3);
    await world.scan();
    const seen = await world.movements(0);
    expect(seen).toMatchObject([{ state: "seen" }]);
    const blocks = await Promise.all(
      [121, 122, 123].map(async (height) =>
        node.call("getblock", await node.call("getblockhash", height), 0),
      ),
    );
    await node.kill();
    expect((await world.scanWithFaults(2)).at(-1)).toBe("failed");
    node.restoreData();
    await node.start();
    await world.scanWithFaults(2);
    expect(await world.problem()).toMatch(/block 123: 1 endpoints must agree, none did/);
    expect(await world.movements(0)).toEqual(seen);
    // Its peers bring it up again.
    for (const block of blocks) await node.call("submitblock", block);
    await node.call("loadwallet", "stranger");
    await world.settle();
    expect(await world.credited()).toEqual({ 0: 70_000n });
    expect(await world.holds()).toEqual({ 0: 70_000n });
  });

  test("two nodes on different branches: nothing is believed until they agree", async () => {
    world = await makeCoinWorld({ nodes: 2 });
    const [first, second] = world.nodes as [CoinWorld["node"], CoinWorld["node"]];
    await expect
      .poll(() => second.call("getbestblockhash"))
      .toBe(await first.call("getbestblockhash"));
    await second.call("setnetworkactive", false);
    await world.pay(0, 70_000n);
    await world.mine(7);
    await second.call("createwallet", "rival");
    await second.call("generatetoaddress", 9, await second.call("getnewaddress"));
    const scanned = async (): Promise<string> => {
      await world.scanWithFaults(3);
      return String(await world.problem());
    };
    await expect.poll(scanned).toMatch(/2 endpoints must agree/);
    expect(await world.credited()).toEqual({});
    await second.call("setnetworkactive", true);
    await second.connectTo(first);
    await expect
      .poll(() => first.call("getbestblockhash"))
      .toBe(await second.call("getbestblockhash"));
    await world.scanWithFaults();
    expect(await world.problem()).toBeNull();
    expect(await world.credited()).toEqual({});
    await world.mine(6);
    await expect
      .poll(() => second.call("getbestblockhash"))
      .toBe(await first.call("getbestblockhash"));
    await world.scan();
    expect(await world.credited()).toEqual({ 0: 70_000n });
    expect(await world.holds()).toEqual({ 0: 70_000n });
  });
});
