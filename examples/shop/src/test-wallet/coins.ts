import type { Settings } from "../settings.ts";

/** The test chains, by the names of their networks. */
export const CHAINS = { ethereum: "Ethereum", litecoin: "Litecoin" } as const;
export type Chain = keyof typeof CHAINS;

/** A coin of a test chain. A native coin has no contract. */
export interface Coin {
  readonly code: "ETH" | "USDT" | "USDC" | "LTC";
  readonly name: string;
  readonly chain: Chain;
  readonly decimals: number;
  readonly contract?: string;
}

/** The contracts have the addresses that these coins have on Ethereum. */
export const COINS: readonly Coin[] = [
  { code: "ETH", name: "Ether", chain: "ethereum", decimals: 18 },
  {
    code: "USDT",
    name: "Tether USD",
    chain: "ethereum",
    decimals: 6,
    contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  },
  {
    code: "USDC",
    name: "USD Coin",
    chain: "ethereum",
    decimals: 6,
    contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  },
  { code: "LTC", name: "Litecoin", chain: "litecoin", decimals: 8 },
];

/** Returns the coins of the test chains that run. */
export const coinsOn = ({
  testNode,
  testCoinNode,
}: Pick<Settings, "testNode" | "testCoinNode">): readonly Coin[] =>
  COINS.filter(({ chain }) => (chain === "ethereum" ? testNode : testCoinNode) !== undefined);

export const coinsOf = (wanted: Chain): readonly Coin[] =>
  COINS.filter(({ chain }) => chain === wanted);

/** Returns the smallest units of an amount such as "0.05"; undefined for one that the coin cannot have. */
export function parseAmount(text: string, { decimals }: Coin): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,18})(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Returns every digit of an amount, and no zero at its end. */
export function printAmount(units: bigint, { decimals }: Coin): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
