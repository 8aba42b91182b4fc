import { afterEach, describe, expect, test } from "vitest";
import { acceptBranch } from "../../apps/server/src/flows/chains/accept-branch.ts";
import { operatorNamed } from "../../apps/server/src/testing/operators.ts";
import { makeSolanaWorld, SOLANA, type SolanaWorld } from "./world/solana-world.ts";

const UNITS = 10n ** 9n;
/** More than the 32 slots below which a node's block is final, so that an empty slot may be the final one. */
const AT_LEAST = 40;

describe("a final slot of Solana without a block", () => {
  let world: SolanaWorld;

  afterEach(() => world.close());

  const mineAboveEmptySlot = (): void => {
    world.chain.skip(1);
    world.chain.mine(AT_LEAST - 1);
  };
  const isCredited = async (index: number): Promise<void> => {
    await world.chain.pay([{ to: world.address(index), units: UNITS }]);
    await world.settle();
    expect(await world.credited()).toEqual({ [index]: UNITS });
    expect(await world.problem()).toBeNull();
  };

  test("is not where the scanner begins", async () => {
    world = await makeSolanaWorld({ atLeast: AT_LEAST, isScanned: false });
    mineAboveEmptySlot();
    expect(await world.step()).toBe("failed");
    expect(await world.final()).toBeUndefined();
    world.chain.mine(1);
    await isCredited(0);
  });

  test("is not where an operator lets the scanner go on", async () => {
    world = await makeSolanaWorld({ atLeast: AT_LEAST });
    world.chain.mine(80);
    await world.settle();
    world.chain.drop(60);
    world.chain.mine(30);
    mineAboveEmptySlot();
    expect(await world.step()).toBe("failed");
    expect(await world.problem()).toContain("dropped the final block");
    const accept = (): Promise<bigint> =>
      acceptBranch({ database: world.database, environment: "dev" }, world.reader(), {
        networkCode: SOLANA,
        reason: "a branch of the tests",
        by: operatorNamed("anna"),
        assets: [],
      });
    await expect(accept()).rejects.toThrow("has no block. Repeat the command.");
    world.chain.mine(1);
    expect(await accept()).toBe(await world.final());
    await isCredited(1);
  });
});
