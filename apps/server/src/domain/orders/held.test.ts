import fc from "fast-check";
import { expect, test } from "vitest";
import { heldReceipts, neverRejected, type Receipt, takeFrom } from "./held.ts";

const deposit = (depositId: string, units: bigint, assetId = 1): Receipt => ({
  rail: "chain",
  attemptId: null,
  depositId,
  assetId,
  units,
});
const nothing = { assetId: 1, units: 0n };

test("the exchange takes from the oldest; what is left is held", () => {
  const receipts = [deposit("a", 60n), deposit("b", 70n), deposit("c", 5n, 2)];
  expect(heldReceipts(receipts, [], { assetId: 1, units: 100n })).toEqual([
    deposit("b", 30n),
    deposit("c", 5n, 2),
  ]);
});

test("money that was returned is neither held nor consumed", () => {
  const back = { attemptId: null, depositId: "a", units: 60n };
  const receipts = [deposit("a", 60n), deposit("b", 70n)];
  expect(heldReceipts(receipts, [back], nothing)).toEqual([deposit("b", 70n)]);
  expect(heldReceipts(receipts, [back], { assetId: 1, units: 70n })).toEqual([]);
});

test("received is always returned plus consumed plus held", () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 20n }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 0n, max: 10n ** 20n }), (units, wanted) => {
      const receipts = units.map((amount, at) => deposit(String(at), amount));
      const sum = (items: readonly Receipt[]) =>
        items.reduce((total, item) => total + item.units, 0n);
      const total = sum(receipts);
      const consumed = wanted < total ? wanted : total;
      const held = heldReceipts(receipts, [], { assetId: 1, units: consumed });
      expect(sum(held) + consumed).toBe(total);
      const part = takeFrom(held, { assetId: 1, units: sum(held) / 2n });
      expect(sum(part)).toBe(sum(held) / 2n);
    }),
    { numRuns: 2_000 },
  );
});

test("money whose refund a rail rejected is not returned by itself, whatever else is held", () => {
  const [rejected, later] = [deposit("a", 60n), deposit("b", 70n)];
  const refund = { purpose: "excess_refund", attemptId: null, depositId: "a" };
  const rejection = { ...refund, state: "void", voidReason: "rejected" };
  const payout = { ...rejection, purpose: "payout", depositId: null };
  const sent = { ...refund, state: "confirmed", voidReason: null };
  expect(neverRejected([rejected, later], [sent, payout])).toEqual([rejected, later]);
  expect(neverRejected([rejected, later], [rejection, sent])).toEqual([later]);
  const withdrawn = { ...rejection, voidReason: "withdrawn" };
  expect(neverRejected([rejected, later], [withdrawn])).toEqual([rejected, later]);
});
