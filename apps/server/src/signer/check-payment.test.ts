import { expect, test } from "vitest";
import type { Release } from "../domain/payouts/release-text.ts";
import {
  BOTH,
  CUSTOMER,
  GAS,
  makeRelease,
  openTestSigner,
  signRelease,
  type TestKey,
  USDT,
} from "../testing/signer.ts";
import { readSignLog } from "./sign-log.ts";

const ANY = { place: { kind: "any" } } as const;
/** Counts as more than the approval limit of the test policy. */
const LARGE = { units: 15_000_000_000n } as const;
type Approvals = readonly (readonly [string, TestKey])[];

const check = (changes: Partial<Release> = {}, approvals: Approvals = []) => ({
  op: "check",
  release: signRelease(makeRelease({ ...ANY, ...changes }), approvals),
});
const reasonOf = (request: object, signer = openTestSigner()) => {
  const answer = signer.ask(request);
  return "error" in answer ? (answer.error.reason ?? answer.error.code) : "allowed";
};

test("a payment is checked at any place, and nothing is signed", () => {
  const signer = openTestSigner();
  expect(signer.ask(check())).toMatchObject({ ok: { isAllowed: true } });
  expect(readSignLog(signer.logFile).signatures).toEqual([]);
});

test.each<[string, object, string]>([
  ["at one place", check({ place: { kind: "nonce", nonce: 1n } }), "place"],
  ["to a token", check({ address: USDT }), "destination"],
  ["to a wrong checksum", check({ address: CUSTOMER.toLowerCase().replace("a", "A") }), "address"],
  ["of an asset without a policy", check({ asset: "usdc-ethereum" }), "unlisted"],
  ["above the approval limit", check(LARGE), "approvals"],
  ["above the limit of one payment", check({ units: 10n ** 12n }, BOTH), "limit"],
  ["that is too old", check({ releasedAt: new Date(0) }), "release_age"],
])("a payment %s is refused when it is checked", (_what, request, reason) => {
  expect(reasonOf(request)).toBe(reason);
});

test("a payment at any place is never signed", () => {
  const { release } = check();
  expect(reasonOf({ op: "pay", release, gas: GAS })).toBe("place");
});

test("approvals of the payment lift the limit at whatever place it is signed", () => {
  const payment = makeRelease({ ...LARGE, ...ANY });
  const { approvals } = signRelease(payment, BOTH);
  const at = (nonce: bigint, changes: Partial<Release> = {}) => ({
    op: "pay",
    release: {
      ...signRelease({ ...payment, ...changes, place: { kind: "nonce", nonce } }),
      approvals,
    },
    gas: GAS,
  });
  const signer = openTestSigner();
  expect(reasonOf({ op: "check", release: signRelease(payment, BOTH) }, signer)).toBe("allowed");
  // The approval is of this payment, and of no other.
  expect(reasonOf(at(7n, { units: payment.units + 1n }), signer)).toBe("approvals");
  expect(signer.ask(at(7n))).toMatchObject({ ok: { hash: expect.any(String) } });
  // It does not allow the payment a second time.
  expect(reasonOf(at(8n), signer)).toBe("paid_elsewhere");
  expect(reasonOf({ op: "check", release: signRelease(payment, BOTH) }, signer)).toBe(
    "paid_elsewhere",
  );
});

test("one approver who signs twice, or a thief, approves nothing", () => {
  expect(
    reasonOf(
      check(LARGE, [
        ["anna", "anna"],
        ["anna", "anna"],
      ]),
    ),
  ).toBe("approvals");
  expect(
    reasonOf(
      check(LARGE, [
        ["anna", "anna"],
        ["ben", "thief"],
      ]),
    ),
  ).toBe("approvals");
});
