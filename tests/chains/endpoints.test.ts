import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { type ChainWorld, makeChainWorld } from "./world/chain-world.ts";
import { type Behaviour, BROKEN_ANSWERS, type RpcQuestion } from "./world/lying-proxy.ts";

interface Log {
  readonly topics: readonly string[];
  readonly logIndex: string;
  readonly transactionHash: string;
}
interface Block {
  readonly hash: string;
  readonly number: string;
}

/** The rows N1 to N4 of the scenarios of chains: three endpoints of one chain, two of which must agree. */
describe.skipIf(ANVIL_PATH === "")("endpoints that lie", () => {
  let world: ChainWorld;

  beforeEach(async () => {
    world = await makeChainWorld();
  });
  afterEach(() => world.close());

  const behave = (...behaviours: readonly Behaviour[]): void => {
    for (const [index, proxy] of world.proxies.entries()) {
      proxy.behaviour = behaviours[index] ?? {};
    }
  };
  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };
  /** Two endpoints are a quorum, and the third is waited for only briefly. Its late answer counts at a later scan. */
  const creditsAtLast = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    const credited = async () => {
      await world.scan();
      return world.credited();
    };
    await expect.poll(credited).toEqual(expected);
    await isRight(expected);
  };
  const hideLogs: Behaviour = {
    rewrite: ({ method }, result) => (method === "eth_getLogs" ? [] : result),
  };

  test("one endpoint that is ten blocks behind holds nothing up", async () => {
    behave({ lag: 10 });
    await world.pay(0, "usdt", 7n);
    const movements = async () => {
      await world.scan();
      return world.movements(0);
    };
    await expect.poll(movements).toMatchObject([{ state: "seen" }]);
    await world.mine(12);
    await creditsAtLast({ "0:usdt": 7n });
  });

  test("while two endpoints are behind nothing is taken back, and later nothing is missed", async () => {
    await world.pay(0, "usdt", 7n);
    await world.scan();
    behave({ lag: 10 }, { lag: 8 });
    await world.pay(1, "usdt", 9n);
    await world.scanWithFaults(5);
    expect(await world.movements(0)).toMatchObject([{ state: "seen" }]);
    expect(await world.movements(1)).toEqual([]);
    behave();
    await world.settle();
    await isRight({ "0:usdt": 7n, "1:usdt": 9n });
  });

  test("an endpoint whose logs are behind its blocks misses nothing for us", async () => {
    behave(hideLogs);
    await world.pay(0, "usdt", 7n);
    await world.settle();
    await isRight({ "0:usdt": 7n });
    await expect.poll(() => world.suspects).toContain("endpoint 0");
  });

  const invented = (log: Log): Log => ({
    ...log,
    topics: [
      ...log.topics.slice(0, 2),
      `0x${world.address(2).slice(2).toLowerCase().padStart(64, "0")}`,
    ],
  });
  /** Invents a deposit to address 2 beside a real one, with the receipt where it says so. */
  const inventing = (withReceipt: "forged receipt" | "no receipt"): Behaviour => ({
    rewrite: ({ method }: RpcQuestion, result) => {
      if (method === "eth_getLogs") {
        const logs = result as readonly Log[];
        return [...logs, ...logs.map(invented)];
      }
      if (method !== "eth_getTransactionReceipt" || withReceipt === "no receipt") return result;
      const receipt = result as { readonly logs: readonly Log[] };
      return { ...receipt, logs: [...receipt.logs, ...receipt.logs.map(invented)] };
    },
  });

  test("a deposit that one endpoint invents is not believed", async () => {
    // The liar answers first.
    behave(inventing("forged receipt"), { delayMs: 50 }, { delayMs: 50 });
    await world.pay(0, "usdt", 7n);
    await world.settle();
    expect(await world.movements(2)).toEqual([]);
    await isRight({ "0:usdt": 7n });
    await expect.poll(() => world.suspects).toContain("endpoint 0");
  });

  test("a deposit that two endpoints hide alike is found by its balance", async () => {
    behave(hideLogs, hideLogs);
    await world.pay(0, "usdt", 7n);
    await world.settle();
    await isRight({ "0:usdt": 7n });
    expect(await world.movements(0)).toMatchObject([{ source: "balance" }]);
  });

  test("a deposit that two endpoints invent alike lacks its receipt", async () => {
    behave(inventing("no receipt"), inventing("no receipt"));
    await world.pay(0, "usdt", 7n);
    await world.scanWithFaults(5);
    expect(await world.movements(2)).toEqual([]);
    behave();
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });

  test("a deposit that two endpoints invent with its receipt is refused by the balance", async () => {
    behave(inventing("forged receipt"), inventing("forged receipt"));
    await world.pay(0, "usdt", 7n);
    await world.settle();
    expect(await world.movements(2)).toMatchObject([{ state: "seen" }]);
    await isRight({ "0:usdt": 7n });
  });

  test("one endpoint that calls its head final makes nothing final early", async () => {
    behave({ rewrite: finalHead });
    await world.pay(0, "usdt", 7n);
    await world.scan();
    await isRight({});
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });

  /** Answers the question for the final block with one that is far ahead. */
  const finalHead = ({ method, params }: RpcQuestion, result: unknown): unknown =>
    method === "eth_getBlockByNumber" && params[0] === "finalized"
      ? { ...(result as Block), number: "0xffffff" }
      : result;

  test("one endpoint without a final block leaves the decision to the others", async () => {
    behave({
      rewrite: ({ method, params }, result) =>
        method === "eth_getBlockByNumber" && params[0] === "finalized" ? null : result,
    });
    await world.pay(0, "usdt", 7n);
    await world.mine(12);
    await creditsAtLast({ "0:usdt": 7n });
  });

  test("one endpoint of another branch is not followed", async () => {
    const hash = `0x${"ab".repeat(32)}`;
    behave({
      rewrite: ({ method }, result) =>
        method === "eth_getBlockByNumber" ? { ...(result as Block), hash } : result,
    });
    await world.pay(0, "usdt", 7n);
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });

  test("an endpoint of another network is not asked", async () => {
    await world.restart();
    await world.pay(0, "usdt", 7n);
    const methods = new Set<string>();
    behave({
      rewrite: ({ method }, result) => {
        methods.add(method);
        return method === "eth_chainId" ? "0x1" : result;
      },
    });
    const questions = async (): Promise<number> => {
      const before = world.proxies[0]?.questions ?? 0;
      await world.settle();
      return (world.proxies[0]?.questions ?? 0) - before;
    };
    expect(await questions()).toBeGreaterThan(0);
    await isRight({ "0:usdt": 7n });
    // A few checks of the network, and then it rests.
    await expect.poll(questions).toBe(0);
    expect([...methods]).toEqual(["eth_chainId"]);
  });

  test.each(BROKEN_ANSWERS)(
    "one endpoint answers with %s, and the others go on",
    async (broken) => {
      behave({}, { broken: [broken] });
      await world.pay(0, "usdt", 7n);
      await world.pay(1, "eth", 5n);
      await world.settle();
      await isRight({ "0:usdt": 7n, "1:eth": 5n });
    },
  );

  test("while two of three are broken nothing is believed, and later nothing is missed", async () => {
    behave({ broken: ["half a body"] }, { broken: ["status 500"] });
    await world.pay(0, "usdt", 7n);
    const outcomes = await world.scanWithFaults(5);
    expect(new Set(outcomes)).toEqual(new Set(["failed"]));
    expect(await world.problem()).toMatch(/2 endpoints must agree, 1 did; endpoint/);
    behave();
    await world.restart();
    await world.mine(12);
    expect((await world.scanWithFaults()).at(-1)).toBe("done");
    await isRight({ "0:usdt": 7n });
    expect(await world.problem()).toBeNull();
  });

  test("a node that comes back below our cursor takes nothing back", async () => {
    await world.pay(0, "usdt", 7n);
    await world.mine(3);
    await world.scan();
    // All endpoints are one node here, which forgets the last four blocks and gets them again.
    behave({ lag: 4 }, { lag: 4 }, { lag: 4 });
    await world.scanWithFaults(5);
    expect(await world.movements(0)).toMatchObject([{ state: "seen" }]);
    behave();
    await world.settle();
    await isRight({ "0:usdt": 7n });
  });
});

describe.skipIf(ANVIL_PATH === "")("an endpoint of the operator's own", () => {
  test("nothing is final without it, even when the others agree", async () => {
    const world = await makeChainWorld({ ownEndpoint: 2 });
    const [, , own] = world.proxies;
    if (!own) throw new Error("the world has three endpoints");
    await world.pay(0, "usdt", 7n);
    own.behaviour = {
      lag: 30,
      rewrite: ({ params }, result) => (params[0] === "finalized" ? null : result),
    };
    await world.settle();
    expect(await world.credited()).toEqual({});
    own.behaviour = {};
    // Its answer may come too late after those of the others, and then counts at the next look.
    const credited = async () => {
      await world.settle();
      return world.credited();
    };
    await expect.poll(credited).toEqual({ "0:usdt": 7n });
    await world.close();
  });
});
