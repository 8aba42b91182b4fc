import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptBranch } from "../../apps/server/src/flows/chains/accept-branch.ts";
import { listControlChanges } from "../../apps/server/src/storage/audit/control-log.ts";
import { operatorNamed } from "../../apps/server/src/testing/operators.ts";
import { ANVIL_PATH } from "./world/anvil.ts";
import { type ChainWorld, makeChainWorld, NETWORK } from "./world/chain-world.ts";

describe.skipIf(ANVIL_PATH === "")("a branch that an operator accepts", () => {
  let world: ChainWorld;

  beforeEach(async () => {
    world = await makeChainWorld();
  });
  afterEach(() => world.close());

  const accept = (reason = "a reorganisation of 14 blocks"): Promise<bigint> => {
    const command = { networkCode: NETWORK, reason, by: operatorNamed("anna"), assets: [] };
    const deps = { database: world.database, environment: "dev" } as const;
    return acceptBranch(deps, world.reader(), command);
  };

  test("credited deposits stay, seen ones are found again, and the network is followed again", async () => {
    await world.pay(0, "eth", 5n);
    await world.settle();
    await world.pay(2, "eth", 3n);
    await world.scan();
    expect(await world.movements(2)).toMatchObject([{ state: "seen" }]);
    await world.reorganise(14);
    await world.send({ to: world.address(1), value: 9n });
    await world.mine(30);
    expect(new Set(await world.scanWithFaults(3))).toEqual(new Set(["failed"]));
    const height = await accept();
    expect(height).toBe(await world.finalHeight());
    await world.settle();
    await world.pay(3, "usdt", 7n);
    await world.settle();
    // The deposit to address 0 is gone from the chain and stays credited. The others are what the chain has.
    expect(await world.credited()).toEqual({ "0:eth": 5n, "1:eth": 9n, "3:usdt": 7n });
    expect(await world.movements(2)).toMatchObject([{ state: "orphaned" }]);
    const [logged] = await listControlChanges(world.database, { limit: 1 });
    expect(logged).toMatchObject({
      person: "anna",
      action: "accept_branch",
      subject: "chain:ethereum",
      details: { reason: "a reorganisation of 14 blocks" },
    });
  });

  test("is refused without a reason, and where no final block was lost", async () => {
    await world.pay(0, "eth", 5n);
    await world.settle();
    await expect(accept(" ")).rejects.toThrow("Give a reason");
    await expect(accept()).rejects.toThrow("has lost no final block");
    expect(await world.credited()).toEqual({ "0:eth": 5n });
  });
});
