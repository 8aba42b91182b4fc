import type { AddressEvent } from "./events.ts";
import type { Choosing, WalletDraft } from "./state.ts";

/** Where coins go, or go back to. */
export function reduceWallet(stage: Choosing, event: AddressEvent): Choosing {
  const draft = stage[event.use];
  const change = (wallet: Partial<WalletDraft>): Choosing => ({
    ...stage,
    [event.use]: { ...draft, ...wallet },
  });
  switch (event.type) {
    case "walletTyped": {
      // Copied addresses often carry line breaks or spaces; none is part of an address.
      const address = event.address.replace(/\s/g, "");
      if (address === draft.address) return stage;
      const fresh = { networkCode: undefined, networks: [], fault: undefined } as const;
      const typed = change({ address, ...fresh, check: "unchecked" });
      return { ...typed, typed: true, advancing: false };
    }
    case "memoTyped":
      return { ...change({ memo: event.memo }), typed: true };
    case "networkPicked":
      return change({ networkCode: event.networkCode, check: "unchecked", fault: undefined });
    case "walletChecking":
      return change({ check: "checking", fault: undefined });
    case "walletAccepted":
      return change({ check: "accepted", fault: undefined });
    case "walletRefused":
      return { ...change({ check: "refused", fault: event.fault }), advancing: false };
    case "networkNeeded": {
      const needed = change({ check: "unchecked", networks: event.networks, fault: undefined });
      return { ...needed, advancing: false };
    }
  }
}
