import { expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import type { TreasuryAsset } from "./overview.ts";
import { type FloatState, reportChanges } from "./watch.ts";

test("a stock that its issuer freezes is one line of the log, and no line about a low float", async () => {
  const catalogue = await shippedCatalogue();
  const lines: string[] = [];
  const write = (level: string) => (facts: object, text: string) =>
    lines.push(`${level} ${JSON.stringify(facts)} ${text}`);
  const deps = {
    catalogue: () => catalogue,
    log: { info: write("info"), warn: write("warn") },
  } as unknown as Parameters<typeof reportChanges>[0];
  const before = new Map<number, FloatState>();
  const { id: assetId } = found(catalogue.currencyByCodeOrReference("usdc-solana"));
  const look = (changed: Partial<TreasuryAsset>, onHand: bigint): void =>
    reportChanges(deps, before, [
      {
        ...{ assetId, position: { onHand, promised: 0n, outPerDay: 0n }, frozen: null },
        limits: { floorUnits: 3n, lowUnits: null, targetUnits: null, ceilingUnits: null },
        ...{ float: "enough", advice: { kind: "nothing" } },
        ...changed,
      },
    ]);
  look({}, 5n);
  look({ float: "below_floor", frozen: 5n }, 0n);
  look({ float: "below_floor", frozen: 5n }, 0n);
  look({}, 5n);
  expect(lines).toEqual([
    expect.stringMatching(/^warn .*"frozenUnits":"5".* the stock of an asset is frozen/),
    expect.stringMatching(/^info .* the float of an asset is enough again$/),
  ]);
});
