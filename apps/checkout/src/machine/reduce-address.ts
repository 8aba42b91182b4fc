import { memoAfter } from "./drafts.ts";
import type { Effect, Step } from "./effects.ts";
import type { AddressEvent } from "./events.ts";
import { locksOf } from "./locks.ts";
import { lookupFor } from "./requests.ts";
import type { AddressUse, Choosing, WalletDraft } from "./state.ts";
import { addressesOn } from "./steps.ts";

/** An address for received or returned coins. */
export function reduceAddress(stage: Choosing, event: AddressEvent): Step<Choosing> {
  const { use } = event;
  const draft = stage[use];
  // A change ends the wait of Continue, which was pressed before it.
  const changed = (fields: Partial<WalletDraft>): Choosing => ({
    ...change(stage, use, fields),
    continuePending: false,
  });
  switch (event.type) {
    case "walletTyped": {
      // Copied addresses often contain line breaks or spaces, which no address has.
      const address = event.address.replace(/\s/g, "");
      if (address === draft.address) return [stage];
      const fresh = { networkCode: undefined, networks: [], fault: undefined } as const;
      const isLocked = use === "wallet" && locksOf(stage.world.session).memo;
      const memo = isLocked ? {} : memoAfter(draft, address);
      const typed = changed({ address, ...memo, ...fresh, check: "unchecked" });
      // Also for an empty address: it ends the check of the address before.
      return [
        { ...typed, edited: true },
        { kind: "scheduleAddressCheck", use },
      ];
    }
    case "memoTyped":
      return [{ ...changed({ memo: event.memo, withoutMemo: false }), edited: true }];
    case "memoWaived": {
      const { withoutMemo } = event;
      return [{ ...changed({ memo: "", withoutMemo }), edited: true }];
    }
    case "networkPicked": {
      const { networkCode } = event;
      const picked = changed({ networkCode, check: "unchecked", fault: undefined });
      return [picked, { kind: "scheduleAddressCheck", use }];
    }
    case "addressCheckDue":
      return checkAddress(stage, use);
    case "walletAccepted":
    case "walletRefused":
    case "networkNeeded":
      // Another coin or another operation was chosen while the address was checked.
      return draft.check === "checking" ? reduceOutcome(stage, event) : [stage];
  }
}

type Outcome = Extract<
  AddressEvent,
  { readonly type: "walletAccepted" | "walletRefused" | "networkNeeded" }
>;

/** The outcome of the check under way. */
function reduceOutcome(stage: Choosing, event: Outcome): Step<Choosing> {
  const { use } = event;
  switch (event.type) {
    case "walletAccepted":
      return [change(stage, use, { check: "accepted", fault: undefined })];
    case "walletRefused": {
      const refused = change(stage, use, { check: "refused", fault: event.fault });
      return [{ ...refused, continuePending: false }];
    }
    case "networkNeeded": {
      const { networks } = event;
      const needed = change(stage, use, { check: "unchecked", networks, fault: undefined });
      return [{ ...needed, continuePending: false }];
    }
  }
}

const change = (stage: Choosing, use: AddressUse, draft: Partial<WalletDraft>): Choosing => ({
  ...stage,
  [use]: { ...stage[use], ...draft },
});

/** Schedules a check of every address that the screen has and nobody has checked. */
export const scheduleChecks = (stage: Choosing): readonly Effect[] =>
  addressesOn(stage)
    .filter((use) => isCheckable(stage, use))
    .map((use) => ({ kind: "scheduleAddressCheck", use }));

/** Checks the addresses of the screen at once, refused ones again. */
export function checkAddressesNow(stage: Choosing): Step<Choosing> {
  let next = stage;
  const effects: Effect[] = [];
  for (const use of addressesOn(stage)) {
    const isRefused = next[use].check === "refused";
    const again = isRefused ? change(next, use, { check: "unchecked", fault: undefined }) : next;
    const [checking, ...more] = checkAddress(again, use);
    next = checking;
    effects.push(...more);
  }
  return [next, ...effects];
}

function checkAddress(stage: Choosing, use: AddressUse): Step<Choosing> {
  if (!isCheckable(stage, use)) return [stage];
  const checking = change(stage, use, { check: "checking", fault: undefined });
  return [checking, { kind: "lookUpAddress", use, query: lookupFor(stage, use) }];
}

/** The screen has the address, it is unchecked, and its network is chosen if that is needed. */
function isCheckable(stage: Choosing, use: AddressUse): boolean {
  const { address, networks, networkCode, check } = stage[use];
  if (!addressesOn(stage).includes(use) || address === "") return false;
  return check === "unchecked" && (networks.length === 0 || networkCode !== undefined);
}
