import { t } from "../copy/later.ts";
import type { AddressUse, Choosing, WalletFault } from "../machine/state.ts";
import { addressesOn, coinFor } from "../machine/steps.ts";
import type { FieldCheck } from "../ui/form.tsx";
import { nameOfNetwork, networkName } from "../ui/network-words.ts";
import { lacksMemo } from "./memo-field.tsx";

/** Checks the addresses of a screen field by field. */
export const addressChecks = (stage: Choosing): readonly FieldCheck[] =>
  addressesOn(stage).flatMap((use) => checksOf(stage, use));

function checksOf(stage: Choosing, use: AddressUse): readonly FieldCheck[] {
  const draft = stage[use];
  const isEmpty = draft.address === "";
  if (isEmpty && use === "refund") return [];
  const networkMissing = draft.networks.length > 0 && !draft.networkCode;
  const { memo } = coinFor(stage, use);
  const memoError = memo === "required" ? t("wallet.error.memo") : t("wallet.error.memoOrNone");
  return [
    {
      id: `${use}-address`,
      typed: !isEmpty,
      error: isEmpty
        ? t("wallet.error.empty")
        : draft.fault && walletFaultText(stage, use, draft.fault),
    },
    {
      id: `${use}-network`,
      typed: false,
      error: networkMissing ? t("wallet.error.network") : undefined,
    },
    {
      id: `${use}-memo`,
      typed: false,
      error: memo !== "none" && lacksMemo(draft) ? memoError : undefined,
    },
  ];
}

/** Returns the service's verdict on an address in words. */
export function walletFaultText(stage: Choosing, use: AddressUse, fault: WalletFault): string {
  const coin = coinFor(stage, use);
  switch (fault.kind) {
    case "not_an_address":
      return t("wallet.error.notAnAddress", { coin: networkName(coin) });
    case "other_chain":
      return otherChainText(stage, use, fault);
    case "other_network": {
      const [first] = fault.networks;
      const { spendCurrencies, receiveCurrencies } = stage.world;
      const chosen = networkName(coin);
      if (!first) return t("wallet.error.unknownNetwork", { chosen });
      const found = nameOfNetwork([...receiveCurrencies, ...spendCurrencies], first);
      return t("wallet.error.otherNetwork", { found, chosen });
    }
    case "unreachable":
      return t("wallet.error.unreachable");
  }
}

function otherChainText(
  stage: Choosing,
  use: AddressUse,
  { network, starts }: Extract<WalletFault, { kind: "other_chain" }>,
): string {
  const { world } = stage;
  const coin = coinFor(stage, use);
  const names = {
    found: nameOfNetwork([...world.receiveCurrencies, ...world.spendCurrencies], network),
    code: coin.code,
    chosen: networkName(coin),
  };
  if (starts.length === 0) return t("wallet.error.otherChain", names);
  const list = new Intl.ListFormat(world.locale, { type: "disjunction" }).format(starts);
  return t("wallet.error.otherChain.starts", { ...names, starts: list });
}

/** An address that could not be checked is not wrong: Continue checks it again. */
export const isOnlyUnchecked = (stage: Choosing, wrong: readonly FieldCheck[]): boolean =>
  wrong.every(({ id }) =>
    addressesOn(stage).some(
      (use) => id === `${use}-address` && stage[use].fault?.kind === "unreachable",
    ),
  );
