import { expect, test } from "vitest";
import type { ScreeningRequest, ScreeningSubject } from "../../domain/ports/screener.ts";
import { MAGIC_ADDRESSES } from "../chains/magic-addresses.ts";
import { SANCTIONED_MEMO, sandboxScreener } from "./screener.ts";

const isHit = async (
  subject: ScreeningSubject,
  before: ScreeningRequest["before"] = "payout",
): Promise<boolean> => (await sandboxScreener().screen({ before, subjects: [subject] })).length > 0;

const customer = (lastName: string) =>
  isHit({ kind: "customer", firstName: "Ada", lastName }, "payment");
const beneficiary = (name: string) => isHit({ kind: "beneficiary", name });

const addressed = (address: string, memo: string | null = null): ScreeningSubject => ({
  kind: "address",
  networkCode: null,
  address,
  memo,
});

test("the documented name is a hit, however it is written, and others are clear", async () => {
  expect(await customer("Sanctioned")).toBe(true);
  expect(await customer(" SANCTIONED ")).toBe(true);
  expect(await customer("Sanction")).toBe(false);
  expect(await isHit({ kind: "customer" })).toBe(false);
});

test("an account holder with the documented last name is a hit", async () => {
  expect(await beneficiary("Ivan sanctioned")).toBe(true);
  expect(await beneficiary("Sanctioned Ivan")).toBe(false);
});

test("the documented address of every form is a hit, and the other documented ones are not", async () => {
  for (const { address, behaviour } of MAGIC_ADDRESSES) {
    const subject = addressed(address);
    expect(await isHit(subject, "payment")).toBe(behaviour === "sanctioned");
    expect(await isHit(subject, "refund")).toBe(behaviour.startsWith("sanctioned"));
  }
});

test("the documented memo is a hit with any address", async () => {
  expect(await isHit(addressed("rAny", SANCTIONED_MEMO))).toBe(true);
  expect(await isHit(addressed("rAny", "1"))).toBe(false);
});
