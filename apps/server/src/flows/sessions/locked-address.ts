import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { SessionTerms } from "../../domain/sessions/session.ts";
import { destinationFault } from "../../domain/wallets/destination-fault.ts";
import { lookUpWallet } from "../../domain/wallets/look-up-wallet.ts";
import { holdsMemo, isMemo } from "../../domain/wallets/memo.ts";
import type { Refusal } from "../refusal.ts";
import { refuseTerm } from "./possible-operations.ts";

/** The address that a merchant asks to fix, and its memo. */
type LockedAddress = {
  readonly [Key in "walletAddress" | "networkCode" | "memo" | "withoutMemo"]?:
    | SessionTerms[Key]
    | undefined;
};

/** With a coin, the address must be one of that coin. Without, it may be one of any coin. */
export function requireAddress(
  catalogue: Catalogue,
  walletAddress: string,
  on: { readonly receive: Currency | undefined; readonly network: Network | undefined },
): void {
  const { receive, network: locked } = on;
  if (receive?.kind === "fiat") {
    throw refuseTerm(
      "INVALID_INPUT",
      "walletAddress",
      `lock.walletAddress contradicts lock.targetCurrency: ${receive.code} is not sent to a wallet. Lock a coin there, or leave one of them out.`,
    );
  }
  if (receive) {
    const { reference, networkCode } = receive;
    const answer = lookUpWallet(catalogue, {
      walletAddress,
      currency: reference,
      networkCode: networkCode ?? undefined,
    });
    if (answer.kind === "valid") return;
    if (answer.kind === "invalid" && answer.belongsTo.length === 0) throw invalidAddress();
    const others = "networks" in answer ? answer.networks : [];
    throw otherNetwork(`lock.targetCurrency: ${reference} is sent to addresses of`, {
      needed: networkCode ?? "",
      networks: answer.kind === "invalid" ? answer.belongsTo : others,
    });
  }
  const coin = { contractAddress: null };
  const fitting = catalogue.networks.filter(
    (network) =>
      network.enabled &&
      destinationFault(catalogue, { network, currency: coin }, walletAddress) === undefined,
  );
  if (fitting.length === 0) throw invalidAddress();
  if (!locked || fitting.includes(locked)) return;
  throw otherNetwork("lock.networkCode: it needs an address of", {
    needed: locked.code,
    networks: fitting,
  });
}

/** Names the member that needs another address, and the networks of this one. */
function otherNetwork(
  member: string,
  { needed, networks }: { readonly needed: string; readonly networks: readonly Network[] },
): Refusal {
  const codes = networks.map(({ code }) => code).join(", ");
  return refuseTerm(
    "NETWORK_MISMATCH",
    "walletAddress",
    `lock.walletAddress contradicts ${member} ${needed}, and this is an address of ${codes}. Lock an address of ${needed}, or change the other member.`,
  );
}

const invalidAddress = (): Refusal =>
  refuseTerm(
    "INVALID_WALLET_ADDRESS",
    "walletAddress",
    "This is not a valid wallet address. Check for missing or wrong characters.",
  );

/** A memo belongs to an address, so it is fixed with one, on a network that has memos. */
export function requireMemoOfAddress(
  catalogue: Catalogue,
  wish: LockedAddress,
  receive: Currency | undefined,
): void {
  const { walletAddress, networkCode, memo, withoutMemo } = wish;
  const member = memo === undefined ? "withoutMemo" : "memo";
  if (memo === undefined && !withoutMemo) return;
  if (memo !== undefined && withoutMemo) {
    throw refuseTerm("INVALID_INPUT", "memo", "Lock either memo or withoutMemo, not both.");
  }
  if (walletAddress === undefined) {
    throw refuseTerm("INVALID_INPUT", member, `${member} needs lock.walletAddress beside it.`);
  }
  const code = receive?.networkCode ?? networkCode;
  const network = code === undefined ? undefined : catalogue.network(code);
  if (network && (memo === undefined ? network.memo === "required" : network.memo === "none")) {
    const needs = memo === undefined ? "requires a memo" : "does not use memos";
    throw refuseTerm("INVALID_INPUT", member, `${network.name} ${needs}.`);
  }
  if (!network || memo === undefined) return;
  if (!isMemo(network.addressFormat, memo) || holdsMemo(network.addressFormat, walletAddress)) {
    throw refuseTerm(
      "INVALID_INPUT",
      member,
      `This is not a memo for this ${network.name} address.`,
    );
  }
}
