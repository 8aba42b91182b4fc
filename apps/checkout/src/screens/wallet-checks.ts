import { en } from "../copy/en.ts";
import type { Choosing, WalletFault } from "../machine/state.ts";
import type { FieldCheck } from "../ui/form.tsx";
import { nameOfNetwork, networkName } from "../ui/words.ts";

/** What is wrong on the wallet screen, field by field. */
export function walletChecks(stage: Choosing): readonly FieldCheck[] {
  const { wallet, receive } = stage;
  const { errors } = en.wallet;
  const networkMissing = wallet.networks.length > 0 && !wallet.networkCode;
  const memoMissing = receive.memo === "required" && wallet.memo.trim() === "";
  return [
    {
      id: "wallet-address",
      typed: wallet.address !== "",
      error:
        wallet.address === "" ? errors.empty : wallet.fault && walletFaultText(stage, wallet.fault),
    },
    {
      id: "wallet-network",
      typed: false,
      error: networkMissing ? errors.network : undefined,
    },
    { id: "memo", typed: false, error: memoMissing ? errors.memo : undefined },
  ];
}

/** The service's answer about an address, in words. */
export function walletFaultText(stage: Choosing, fault: WalletFault): string {
  const { errors } = en.wallet;
  switch (fault.kind) {
    case "not_an_address":
      return errors.notAnAddress(networkName(stage.receive));
    case "other_network": {
      const [first] = fault.networks;
      const found = first
        ? nameOfNetwork(stage.world.receiveCurrencies, first)
        : errors.anotherNetwork;
      return errors.otherNetwork(found, networkName(stage.receive));
    }
    case "unreachable":
      return errors.unreachable;
  }
}
