import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { type ChainWorld, makeChainWorld } from "./world/chain-world.ts";

/** Rounds of one payment and 20 blocks. The largest question of the scanner covers 500 blocks, which are 25 rounds. */
const AWAY_ROUNDS = 30;

/** The rows D1 to D8 of the scenarios of chains. The judge is the chain itself, at its final block. */
describe.skipIf(ANVIL_PATH === "")("deposits on anvil", () => {
  let world: ChainWorld;

  beforeEach(async () => {
    world = await makeChainWorld();
  });
  afterEach(() => world.close());

  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };
  const statesOf = async (index: number): Promise<readonly string[]> =>
    (await world.movements(index)).map(({ source, state }) => `${source} ${state}`);

  test("a deposit is seen, is final exactly at the final block, and is credited once", async () => {
    await world.pay(0, "eth", 5n);
    await world.pay(1, "usdt", 7n);
    await world.scan();
    expect([await statesOf(0), await statesOf(1)]).toEqual([["value seen"], ["event seen"]]);
    await isRight({});
    // The block eight below the head is final, and the first deposit is in the one before the head.
    await world.mine(6);
    await world.scan();
    await isRight({});
    await world.mine(1);
    await world.scan();
    await isRight({ "0:eth": 5n });
    await world.mine(1);
    await world.scan();
    await isRight({ "0:eth": 5n, "1:usdt": 7n });
    await world.restart();
    await world.settle();
    await isRight({ "0:eth": 5n, "1:usdt": 7n });
  });

  test.each([1, 3, 6])(
    "a deposit %i blocks deep that is dropped is not credited",
    async (depth) => {
      await world.pay(0, "usdt", 7n);
      await world.mine(depth - 1);
      await world.scan();
      await world.reorganise(depth);
      await world.mine(1);
      await world.scan();
      expect(await statesOf(0)).toEqual(["event orphaned"]);
      await world.settle();
      await isRight({});
    },
  );

  test("the same transaction in another block and at another place is the same deposit", async () => {
    const first = await world.pay(0, "usdt", 7n);
    await world.scan();
    const [seen] = await world.movements(0);
    const raw = await world.bytesOf(first);
    // Empty blocks first, so that the transaction has another height.
    await world.reorganise(2);
    await world.mine(1);
    await world.scan();
    expect(await statesOf(0)).toEqual(["event orphaned"]);
    await world.node.call("eth_sendRawTransaction", raw);
    await world.mine(1);
    await world.scan();
    const [again, ...others] = await world.movements(0);
    expect(others).toEqual([]);
    expect(again).toMatchObject({ id: seen?.id, state: "seen" });
    expect(again?.blockHash).not.toBe(seen?.blockHash);
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });

  test("the number of a log in its block may change, its number in the transaction does not", async () => {
    const hash = await world.pay(0, "usdt", 7n);
    const raw = await world.bytesOf(hash);
    await world.scan();
    const [seen] = await world.movements(0);
    // Another account's transfer comes first in the same block, so the deposit's log has another number there.
    const [, other = ""] = await world.node.call<string[]>("eth_accounts");
    await world.reorganise(1);
    await world.node.call("evm_setAutomine", false);
    const call = { from: other, to: world.contracts.liar, gas: "0x30000" };
    const data = `0xa9059cbb${world.address(3).slice(2).padStart(64, "0")}${"1".padStart(64, "0")}`;
    const fees = { maxPriorityFeePerGas: "0x2540be400", maxFeePerGas: "0x174876e800" };
    await world.node.call("eth_sendTransaction", { ...call, ...fees, data });
    await world.node.call("eth_sendRawTransaction", raw);
    await world.mine(1);
    await world.node.call("evm_setAutomine", true);
    const receipt = await world.node.call<{ logs: { logIndex: string }[] }>(
      "eth_getTransactionReceipt",
      hash,
    );
    expect(receipt.logs[0]?.logIndex).toBe("0x1");
    await world.scan();
    expect((await world.movements(0)).map(({ id, state }) => [id, state])).toEqual([
      [seen?.id, "seen"],
    ]);
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });

  test("a transaction that pays less when it is mined again is another deposit", async () => {
    const raw = await world.bytesOf(await world.pay(0, "usdt", 1_000n));
    await world.scan();
    const [, other] = await world.node.call<string[]>("eth_accounts");
    await world.reorganise(1);
    // The token takes a fee in the other branch.
    const data = `0x69fe0e2d${(100).toString(16).padStart(64, "0")}`;
    await world.node.call("eth_sendTransaction", { from: other, to: world.contracts.usdt, data });
    await world.node.call("eth_sendRawTransaction", raw);
    await world.mine(1);
    await world.scan();
    const found = await world.movements(0);
    expect(found.map(({ units, state }) => `${units} ${state}`).toSorted()).toEqual([
      "1000 orphaned",
      "990 seen",
    ]);
    await world.settle();
    await isRight({ "0:usdt": 990n });
  });

  test.each([1, 2])(
    "a deposit that is spent elsewhere at depth %i is worth nothing",
    async (depth) => {
      await world.pay(0, "usdt", 7n);
      await world.mine(depth - 1);
      await world.scan();
      // After the reorganisation the payer's next transaction has the same nonce.
      await world.reorganise(depth);
      await world.pay(1, "usdt", 9n);
      await world.settle();
      expect(await statesOf(0)).toEqual(["event orphaned"]);
      await isRight({ "1:usdt": 9n });
    },
  );

  test("a chain that drops final blocks stops the network; what is final stays", async () => {
    await world.pay(0, "eth", 5n);
    await world.settle();
    const before = await world.finalHeight();
    await world.reorganise(14);
    await world.pay(1, "eth", 9n);
    await world.mine(12);
    expect(new Set(await world.scanWithFaults(5))).toEqual(new Set(["failed"]));
    expect(await world.credited()).toEqual({ "0:eth": 5n });
    expect(await world.finalHeight()).toBe(before);
    expect(await world.problem()).toMatch(
      /dropped the final block \d+; .* may be lost: ethereum:0x/,
    );
    expect(await world.stops()).toEqual(["rail chain:ethereum"]);
  });

  test("nodes that begin again with another chain stop the network", async () => {
    await world.pay(0, "eth", 5n);
    await world.settle();
    await world.node.call("anvil_reset");
    await world.mine(60);
    expect(new Set(await world.scanWithFaults(5))).toEqual(new Set(["failed"]));
    expect(await world.problem()).toMatch(/no stored block is left in it/);
    expect(await world.credited()).toEqual({ "0:eth": 5n });
  });

  test("coins that a contract pays are seen at their final block", async () => {
    const { splitter } = world.contracts;
    const value = 11n;
    await world.send({ to: splitter, call: ["pay(address)", world.address(0)], value });
    await world.send({ create: ["Bomb", world.address(1)], value });
    await world.send({ to: splitter, call: ["tryAndFail(address)", world.address(2)], value });
    await world.pay(0, "eth", 5n);
    await world.scan();
    expect(await Promise.all([0, 1, 2].map(statesOf))).toEqual([["value seen"], [], []]);
    await world.settle();
    await isRight({ "0:eth": 16n, "1:eth": 11n });
    // The balances were explained, and stay so.
    await world.settle();
    expect(await statesOf(0)).toEqual(["value final", "balance final"]);
  });

  test("a contract of a token that moves coins without an event", async () => {
    const call = ["moveSilently(address,uint256)", world.address(0), 8n] as const;
    await world.send({ to: world.contracts.usdt, call });
    await world.settle();
    await isRight({ "0:usdt": 8n });
  });

  test("a copied event, a transfer of nothing and a failed payment are not deposits", async () => {
    await world.send({
      to: world.contracts.liar,
      call: ["transfer(address,uint256)", world.address(0), 999n],
    });
    await world.pay(0, "usdt", 0n);
    await world.pay(0, "eth", 0n);
    await world.settle();
    expect(await world.movements(0)).toEqual([]);
    await isRight({});
  });

  test("a token that takes a fee is credited with what arrived", async () => {
    await world.send({ to: world.contracts.usdt, call: ["setFee(uint256)", 100n] });
    await world.pay(0, "usdt", 1_000n);
    await world.settle();
    await isRight({ "0:usdt": 990n });
  });

  test("a token that reports more than it moved is not credited", async () => {
    await world.send({
      to: world.contracts.usdt,
      call: ["sayTwice(address,uint256)", world.address(0), 40n],
    });
    await world.pay(1, "usdt", 7n);
    await world.settle();
    expect(await statesOf(0)).toEqual(["event seen", "event seen"]);
    expect(await world.credited()).toEqual({ "1:usdt": 7n });
  });

  test("away for more blocks than one question covers, with short ranges and few results, it catches up", async () => {
    for (let round = 0; round < AWAY_ROUNDS; round += 1) {
      await world.pay(round % 6, round % 2 === 0 ? "usdt" : "eth", BigInt(round + 1));
      await world.mine(20);
    }
    // A hundred blocks have two or three results for one question.
    for (const proxy of world.proxies) proxy.behaviour = { rangeMax: 100, logsMax: 1 };
    await world.settle();
    await isRight(await world.holds());
    const sum = Object.values(await world.credited()).reduce((total, units) => total + units, 0n);
    expect(sum).toBe(BigInt((AWAY_ROUNDS * (AWAY_ROUNDS + 1)) / 2));
  });
});
