import type { ChoosingEvent } from "./events.ts";
import type { Choosing, WalletDraft } from "./state.ts";

type WalletEvent = Extract<
  ChoosingEvent,
  {
    type:
      | "walletTyped"
      | "memoTyped"
      | "networkPicked"
      | "walletChecking"
      | "walletAccepted"
      | "walletRefused"
      | "networkNeeded";
  }
>;

/** Where the coins go. */
export function reduceWallet(stage: Choosing, event: WalletEvent): Choosing {
  const change = (wallet: Partial<WalletDraft>): Choosing => ({
    ...stage,
    wallet: { ...stage.wallet, ...wallet },
  });
  switch (event.type) {
    case "walletTyped": {
      // Copied addresses often carry line breaks or spaces; none is part of an address.
      const address = event.address.replace(/\s/g, "");
      if (address === stage.wallet.address) return stage;
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
    case "walletAccepted": {
      const accepted = change({ check: "accepted", fault: undefined });
      if (!stage.advancing || stage.screen !== "wallet") return accepted;
      return { ...accepted, screen: "card", advancing: false };
    }
    case "walletRefused":
      return { ...change({ check: "refused", fault: event.fault }), advancing: false };
    case "networkNeeded": {
      const needed = change({ check: "unchecked", networks: event.networks, fault: undefined });
      return { ...needed, advancing: false };
    }
  }
}
