import { afterEach, describe, expect, test } from "vitest";
import { segwitScript } from "../../apps/server/src/adapters/chains/utxo/deposit-addresses.ts";
import { CONFIRMATIONS, type CoinWorld, makeCoinWorld } from "./world/coin-world.ts";
import { LITECOIND_PATH, startLitecoind } from "./world/litecoind.ts";
import {
  type Behaviour,
  BROKEN_ANSWERS,
  type LyingProxy,
  type RpcQuestion,
  startProxy,
} from "./world/lying-proxy.ts";

/** Three endpoints of one node, with its name and password. They lie as a test wants. */
describe.skipIf(LITECOIND_PATH === "")("endpoints of litecoind that fail or lie", () => {
  let world: CoinWorld;
  let proxies: readonly LyingProxy[] = [];
  afterEach(async () => {
    await world.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  const make = (timeoutMs = 60_000, own = 0): Promise<CoinWorld> =>
    makeCoinWorld({
      timeoutMs,
      own,
      urls: async ([node]) => {
        proxies = await Promise.all([0, 1, 2].map(() => startProxy(node?.openUrl ?? "")));
        return proxies.map(({ url }) => withPassword(url, node?.url ?? ""));
      },
    });
  /** Two of the endpoints may rest for a few seconds after their faults, so that only one of three answers. */
  const scanned = async (message: string): Promise<void> => {
    const outcome = async () => (await world.scanWithFaults(1)).at(-1);
    await expect.poll(outcome, { message, interval: 200 }).toBe("done");
  };
  const isRight = async (expected: Readonly<Record<string, bigint>>): Promise<void> => {
    expect(await world.credited()).toEqual(expected);
    expect(await world.holds()).toEqual(expected);
  };

  test("one endpoint that answers nothing useful changes nothing", async () => {
    // An endpoint that never answers is at fault after this time.
    world = await make(10_000);
    for (const [index, broken] of BROKEN_ANSWERS.entries()) {
      const proxy = proxies[index % 3];
      if (proxy) proxy.behaviour = { broken: [broken] };
      await world.pay(0, 700_000n);
      await world.mine(1);
      await scanned(broken);
      if (proxy) proxy.behaviour = {};
    }
    await world.mine(CONFIRMATIONS);
    await scanned("all answer");
    await isRight({ 0: 700_000n * BigInt(BROKEN_ANSWERS.length) });
  });

  test("while two of three fail nothing is read, and nothing is lost", async () => {
    world = await make();
    for (const proxy of proxies.slice(1)) proxy.behaviour = { broken: ["status 500"] };
    await world.pay(0, 700_000n);
    await world.mine(7);
    expect(new Set(await world.scanWithFaults(2))).toEqual(new Set(["failed"]));
    expect(await world.problem()).toMatch(/2 endpoints must agree/);
    expect(await world.problem()).not.toContain("p@ss");
    for (const proxy of proxies) proxy.behaviour = {};
    await world.restart();
    await world.scan();
    await isRight({ 0: 700_000n });
  });

  test("a deposit that one endpoint invents, enlarges or hides is what the others say", async () => {
    world = await make();
    await world.pay(0, 700_000n);
    await world.mine(1);
    const lies = [
      (output: Output) => ({ ...output, value: 5 }),
      (output: Output) => ({ ...output, n: output.n + 7 }),
      (output: Output) => ({ ...output, scriptPubKey: { hex: "00" } }),
    ];
    for (const [index, proxy] of proxies.entries()) {
      proxy.behaviour = {
        rewrite: rewriteOutputs((output) =>
          index === 0 ? (lies[Number(output.n) % 3]?.(output) ?? output) : output,
        ),
      };
    }
    await world.scan();
    expect(await world.movements(0)).toMatchObject([{ units: 700_000n }]);
    await expect.poll(() => world.suspects).toContain("node 0");
    for (const proxy of proxies) proxy.behaviour = {};
    await world.settle();
    await isRight({ 0: 700_000n });
  });

  test("two strangers that rewrite an output alike credit nothing that the operator's own node does not have", async () => {
    world = await make(60_000, 1);
    const scriptPubKey = { hex: segwitScript(world.address(1)) };
    for (const proxy of proxies.slice(1)) {
      proxy.behaviour = { rewrite: rewriteOutputs((output) => ({ ...output, scriptPubKey })) };
    }
    await world.pay(0, 700_000n);
    await world.mine(CONFIRMATIONS);
    expect(new Set(await world.scanWithFaults(2))).toEqual(new Set(["failed"]));
    expect(await world.problem()).toMatch(
      /2 endpoints must agree, 2 and 1 did; "node 0", your own, must be among them/,
    );
    expect([...(await world.movements(0)), ...(await world.movements(1))]).toEqual([]);
    for (const proxy of proxies) proxy.behaviour = {};
    await world.restart();
    await world.settle();
    await isRight({ 0: 700_000n });
  });

  test("an own node that is a block behind delays deposits by a block, and fails no step", async () => {
    world = await make(60_000, 1);
    const height = Number(await world.node.call("getblockcount"));
    const [own] = proxies;
    if (own) own.behaviour = endAt(height + CONFIRMATIONS);
    await world.pay(0, 700_000n);
    await world.mine(CONFIRMATIONS + 1);
    expect((await world.scanWithFaults()).at(-1)).toBe("done");
    expect(await world.finalHeight()).toBe(BigInt(height) + 1n);
    expect(await world.credited()).toEqual({ 0: 700_000n });
  });

  test("a span that begins on another branch is not read", async () => {
    world = await make();
    await world.mine(2);
    const from = { height: 120n, hash: "f".repeat(64), parent: "e".repeat(64) };
    const watch = { addresses: [], assets: [] };
    await expect(world.reader().read(from, 121n, watch)).rejects.toThrow("none did");
    await expect(world.reader().nameOf(999n)).rejects.toThrow("none did");
  });

  test("a node of another chain is not asked", async () => {
    const testnet = await startLitecoind([], "testnet");
    try {
      world = await makeCoinWorld({
        urls: async (nodes) => [...nodes.map(({ url }) => url), testnet.url, nodes[0]?.url ?? ""],
      });
      await world.pay(0, 700_000n);
      await world.settle();
      await isRight({ 0: 700_000n });
      const alone = world.readerOf([testnet.url]);
      await expect(alone.heads()).rejects.toThrow("it follows the chain test, not regtest");
      await alone.close();
    } finally {
      await testnet.remove();
    }
  });
});

interface Output {
  readonly n: number;
}

/** Changes each output of each block. */
const rewriteOutputs =
  (change: (output: Output) => object) =>
  ({ method }: RpcQuestion, result: unknown): unknown => {
    if (method !== "getblock") return result;
    const block = result as { readonly tx: readonly { readonly vout: readonly Output[] }[] };
    return { ...block, tx: block.tx.map((one) => ({ ...one, vout: one.vout.map(change) })) };
  };

/** A node that has no later block than this one. */
const endAt = (height: number): Behaviour => ({
  rewrite: ({ method }, result) => (method === "getblockcount" ? height : result),
  refuse: ({ method, params }) =>
    method === "getblockhash" && Number(params[0]) > height
      ? "Block height out of range"
      : undefined,
});

function withPassword(url: string, other: string): string {
  const made = new URL(url);
  const { username, password } = new URL(other);
  return Object.assign(made, { username, password }).href;
}
