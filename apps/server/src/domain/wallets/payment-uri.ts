import { formatDecimal, type Money, toDecimal } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";

/** A payment that a customer's wallet should make: what is in the QR code of a deposit. */
export interface PaymentTarget {
  readonly currency: Currency;
  readonly address: string;
  readonly memo: string | null;
  readonly amount: Money;
  /** The chain id of the network that is really followed. Absent where it is the one of `CHAIN_IDS`. */
  readonly chainId?: number | undefined;
}

/** Schemes of BIP 21 and its successors, by network. Their amounts are whole coins. */
const COIN_SCHEMES: Readonly<Record<string, string>> = {
  bitcoin: "bitcoin",
  litecoin: "litecoin",
  dogecoin: "dogecoin",
  "bitcoin-cash": "bitcoincash",
};

/**
 * Chain ids of EIP-155, by network, of the networks with real coins. An EVM address exists on each, so the link must
 * name one.
 */
export const CHAIN_IDS: Readonly<Record<string, number>> = {
  ethereum: 1,
  optimism: 10,
  bsc: 56,
  polygon: 137,
  base: 8453,
  arbitrum: 42161,
  avalanche: 43114,
};

/**
 * Returns the link that opens a wallet with address, amount, network and tag filled in. Its form is BIP 21, EIP-681
 * or Solana Pay; on the XRP Ledger it is the one that wallets use. Other networks have no agreed form, so their link
 * is the bare address.
 */
export function paymentUri(target: PaymentTarget): string {
  const { currency, address, memo, amount } = target;
  const network = currency.networkCode ?? "";
  const coins = formatDecimal(toDecimal(amount));
  const coinScheme = COIN_SCHEMES[network];
  if (coinScheme !== undefined) {
    // A Bitcoin Cash address may hold its scheme already.
    return link(coinScheme, address.replace(`${coinScheme}:`, ""), { amount: coins });
  }
  const chainId = target.chainId ?? CHAIN_IDS[network];
  if (chainId !== undefined) return ethereumLink(target, chainId);
  if (network === "solana") {
    return link("solana", address, { amount: coins, "spl-token": currency.contractAddress });
  }
  if (network === "xrpl") return link("ripple", address, { amount: coins, dt: memo });
  return address;
}

/** The units of EIP-681 are the smallest ones. A token is paid by a call of its contract. */
function ethereumLink({ currency, address, amount }: PaymentTarget, chainId: number): string {
  const units = String(amount.units);
  return currency.contractAddress === null
    ? link("ethereum", `${address}@${chainId}`, { value: units })
    : link("ethereum", `${currency.contractAddress}@${chainId}/transfer`, {
        address,
        uint256: units,
      });
}

function link(
  scheme: string,
  path: string,
  query: Readonly<Record<string, string | null>>,
): string {
  const members = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return `${scheme}:${path}?${new URLSearchParams(members).toString()}`;
}
