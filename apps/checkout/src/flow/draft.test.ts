import { expect, test } from "vitest";
import { makeChoosing, makeSession } from "../machine/testing.ts";
import { draftTextOf, parseDraft } from "./draft.ts";

const WALLET = { address: "rLocked", memo: "77", withoutMemo: false } as const;

/** Returns the address after a reload, in a session that locks these terms. */
function walletAfterReload(lock: object) {
  const session = makeSession({ lock });
  const first = makeChoosing();
  const world = { ...first.world, session };
  const typed = { ...first, world, wallet: { ...first.wallet, ...WALLET } };
  const locked = { ...first.wallet, address: "rLocked" };
  const saved = parseDraft(draftTextOf(typed), session);
  return saved?.applyTo({ ...first, world, wallet: locked }).wallet;
}

test("a reload keeps the memo that the customer typed for a locked address", () => {
  expect(walletAfterReload({ walletAddress: "rLocked" })).toMatchObject(WALLET);
});

test("a reload does not replace a locked memo", () => {
  expect(walletAfterReload({ walletAddress: "rLocked", memo: "12" })?.memo).toBe("");
});
