import { expect, test } from "vitest";
import type { SignedTerms } from "../../../domain/ports/coin-sender.ts";
import { found } from "../../../testing/catalogue.ts";
import {
  COIN,
  makeCoinRelease,
  makePlan,
  openTestSigner,
  signRelease,
} from "../../../testing/signer.ts";
import { CHILD_SIZE, type PlanRules, planOfTerms, termsOfPlan } from "./coin-plan.ts";
import { childOf, replacementOf, weigh } from "./raise-plan.ts";

const DUST = 294n;
const rules: PlanRules = {
  prefixes: { segwit: "bc", publicKeyHash: 0x00, scriptHash: 0x05 },
  dust: "bitcoin",
  feeMax: 100_000n,
  needsChange: false,
};
const ID = "01936f3e-0000-7000-8000-00000000abcd";

/** Signs a payment of 100,000 units that costs 1,410. */
function signedWith(units: string): SignedTerms {
  const coin = { ...COIN, units };
  const release = makeCoinRelease([coin]);
  const plan = makePlan([coin], { pays: release.units, fee: 1_410n });
  const request = { op: "pay_coins", releases: [signRelease(release)], plan };
  const { hash, bytes } = openTestSigner().sign(request);
  return {
    transaction: {
      networkCode: "bitcoin",
      transactionHash: hash,
      bytes: Buffer.from(bytes, "hex"),
    },
    terms: termsOfPlan(plan, 10n),
  };
}
const stuck = signedWith("1000000");
const changeOf = (terms: SignedTerms["terms"] | undefined): bigint =>
  BigInt(found(planOfTerms(found(terms)).change ?? undefined).units);

test("a transaction is weighed by its own bytes", () => {
  expect(weigh(stuck)).toEqual({ fee: 1_410n, size: 141n });
});

test("the next version takes its higher fee from the change, and pays for its own relay at least", () => {
  const before = changeOf(stuck.terms);
  expect(before - changeOf(replacementOf(stuck, 50n, rules))).toBe(50n * 141n - 1_410n);
  expect(before - changeOf(replacementOf(stuck, 10n, rules))).toBe(141n);
});

/** Removes four bytes of the signature, so that the transaction is one virtual byte smaller. */
function withShortSignature({ transaction, terms }: SignedTerms): SignedTerms {
  const hex = Buffer.from(transaction.bytes).toString("hex");
  const [, before = "", length = "", signature = "", after = ""] = found(
    /^(.*02)(4[78])(30.*01)(21.{66}.{8})$/.exec(hex) ?? undefined,
  );
  const shorter = (Number.parseInt(length, 16) - 4).toString(16);
  const bytes = Buffer.from(`${before}${shorter}${signature.slice(8)}${after}`, "hex");
  return { transaction: { ...transaction, bytes }, terms };
}

test("the next version pays its rate even if its signature is longer", () => {
  const short = withShortSignature(stuck);
  expect(weigh(short).size).toBe(140n);
  const raised = changeOf(short.terms) - changeOf(replacementOf(short, 50n, rules));
  expect(1_410n + raised).toBe(50n * 141n);
});

test("no version is dearer than the limit, or than the change above dust", () => {
  expect(replacementOf(stuck, 709n, rules)).toBeDefined();
  expect(replacementOf(stuck, 710n, rules)).toBeUndefined();
  const small = signedWith("102410");
  expect(changeOf(replacementOf(small, 50n, rules))).toBe(DUST);
  expect(replacementOf(signedWith(String(101_410n + DUST + 140n)), 50n, rules)).toBeUndefined();
  expect(replacementOf(signedWith("101410"), 50n, rules)).toBeUndefined();
});

test("a child pays for itself and for all before it, within the limit of them together", () => {
  const unmined = weigh(stuck);
  const child = found(childOf(stuck, { id: ID, rate: 50n, unmined }, rules));
  const fee = child.change.units - changeOf(child.terms);
  expect(unmined.fee + fee).toBe(50n * (unmined.size + CHILD_SIZE));
  expect(child.change.outpoint).toBe(`${stuck.transaction.transactionHash}:1`);
  expect(planOfTerms(child.terms).inputs).toMatchObject([{ branch: 1, units: "898590" }]);
  expect(childOf(stuck, { id: ID, rate: 398n, unmined }, rules)).toBeDefined();
  expect(childOf(stuck, { id: ID, rate: 399n, unmined }, rules)).toBeUndefined();
});

test("without enough change there is no child", () => {
  for (const units of ["101410", String(101_410n + DUST + CHILD_SIZE - 1n)]) {
    const poor = signedWith(units);
    expect(childOf(poor, { id: ID, rate: 50n, unmined: weigh(poor) }, rules)).toBeUndefined();
  }
});
