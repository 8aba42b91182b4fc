import { expect, test } from "vitest";
import type { WalletCoin } from "../../../domain/ports/chain-gateway.ts";
import { FeeTooHigh } from "../../../domain/ports/chain-sender.ts";
import { CHANGE_ADDRESSES, costOf, dustOf, type PlanRules, planOf, scriptOf } from "./coin-plan.ts";

const rules: PlanRules = {
  prefixes: { segwit: "bc", publicKeyHash: 0x00, scriptHash: 0x05 },
  dust: "bitcoin",
  feeMax: 100_000n,
  needsChange: false,
};
const ADDRESS = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const sendOf = (units: bigint) => ({
  id: "01936f3e-0000-7000-8000-00000000abcd",
  outputs: [{ intentId: "i", assetReference: "btc", address: ADDRESS, memo: null, units }],
});
const coinsOf = (...amounts: readonly bigint[]): readonly WalletCoin[] =>
  amounts.map((units, index) => ({
    outpoint: `${String(index).padStart(64, "0")}:${index}`,
    units,
    branch: 0,
    index,
  }));
const RATE = 10n;

/** Litecoin's amounts are those below which its node refuses an output. Bitcoin's are the published ones. */
test.each([
  ["P2WPKH", ADDRESS, "bitcoin", 294n],
  ["P2PKH", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bitcoin", 546n],
  ["P2SH", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "bitcoin", 540n],
  ["P2TR", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "bitcoin", 330n],
  ["P2WPKH", ADDRESS, "litecoin", 2_940n],
  ["P2PKH", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "litecoin", 5_460n],
] as const)("%s %s of %s below %i units is dust", (_what, address, coin, least) => {
  expect(dustOf(scriptOf(address, rules.prefixes), coin)).toBe(least);
});

test("an address of another chain has no script", () => {
  expect(() => scriptOf("ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh", rules.prefixes)).toThrow();
});

test("every unit of the coins is paid, change or fee, and the fee is the rate of its size", () => {
  const { inputs, change } = planOf(
    sendOf(50_000n),
    { coins: coinsOf(60_000n, 5_000n), rate: RATE },
    rules,
  );
  expect(inputs.map(({ units }) => units)).toEqual(["60000", "5000"]);
  // Two inputs, a payment and change: 11 + 2 × 68 + 31 + 31 bytes.
  expect(BigInt(change?.units ?? 0)).toBe(65_000n - 50_000n - 209n * RATE);
  expect(change?.index).toBeLessThan(CHANGE_ADDRESSES);
  expect(change?.position).toBeLessThanOrEqual(1);
});

test("change that would be dust goes to the miner, and too few coins are refused", () => {
  const paid = 50_000n;
  const least = costOf(sendOf(paid), RATE, rules);
  const enough = least.units + least.unitsForEach;
  const planWith = (units: bigint) =>
    planOf(sendOf(paid), { coins: coinsOf(units), rate: RATE }, rules).change;
  expect(planWith(enough)).toBeNull();
  expect(planWith(enough + 293n)).toBeNull();
  expect(planWith(enough + 294n)?.units).toBe("294");
  expect(() => planWith(paid + 1_099n)).toThrow("hold 1 units too few");
});

test("a fee above the limit is too dear, and the same send and rate have the same plan", () => {
  const coins = coinsOf(200_000_000n);
  expect(() => planOf(sendOf(1_000n), { coins, rate: 1_000n }, rules)).toThrow(FeeTooHigh);
  const plan = () => planOf(sendOf(1_000n), { coins, rate: RATE }, rules);
  expect(plan()).toEqual(plan());
});

test("where a child raises the fee, the coins leave ten times dust as change", () => {
  const needy = { ...rules, needsChange: true };
  const [without, withChange] = [rules, needy].map(
    (one) => costOf(sendOf(100_000n), 10n, one).units,
  );
  expect((withChange ?? 0n) - (without ?? 0n)).toBe(2_940n);
});
