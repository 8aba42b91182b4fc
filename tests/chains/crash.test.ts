import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ANVIL_PATH } from "./world/anvil.ts";
import { type ChainWorld, makeChainWorld } from "./world/chain-world.ts";

/** The scanner is killed as `kill -9` would, around each of its commits. */
describe.skipIf(ANVIL_PATH === "")("a scanner that is killed", () => {
  let world: ChainWorld;

  beforeEach(async () => {
    world = await makeChainWorld();
  });
  afterEach(() => world.close());

  test.each(["scan.before_commit", "scan.after_commit", "scan.after_final"] as const)(
    "at %s: the next one misses nothing and credits once",
    async (failpoint) => {
      await world.pay(0, "usdt", 7n);
      await world.pay(1, "eth", 5n);
      await world.send({
        to: world.contracts.splitter,
        call: ["pay(address)", world.address(1)],
        value: 3n,
      });
      await world.mine(12);
      expect(await world.dieAt(failpoint)).toBe("SIGKILL");
      await world.restart();
      await world.settle();
      const expected = { "0:usdt": 7n, "1:eth": 8n };
      expect(await world.credited()).toEqual(expected);
      expect(await world.holds()).toEqual(expected);
    },
  );

  test("at scan.before_back: the next one takes back what was dropped", async () => {
    await world.pay(0, "usdt", 7n);
    await world.mine(2);
    await world.scan();
    await world.reorganise(3);
    await world.pay(1, "usdt", 9n);
    await world.mine(2);
    expect(await world.dieAt("scan.before_back")).toBe("SIGKILL");
    expect(await world.movements(0)).toMatchObject([{ state: "seen" }]);
    await world.restart();
    await world.settle();
    expect(await world.movements(0)).toMatchObject([{ state: "orphaned" }]);
    expect(await world.credited()).toEqual({ "1:usdt": 9n });
    expect(await world.holds()).toEqual({ "1:usdt": 9n });
  });

  test("while it lives no other scanner makes a step", async () => {
    await world.pay(0, "usdt", 7n);
    await world.scan();
    const height = await world.finalHeight();
    const other = world.rival();
    await world.mine(12);
    expect(await other.step()).toBe(false);
    expect(await world.finalHeight()).toBe(height);
    await other.close();
    await world.settle();
    expect(await world.credited()).toEqual({ "0:usdt": 7n });
  });
});
