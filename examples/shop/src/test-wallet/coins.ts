/** A coin of the test chain. The native coin has no contract. */
export interface Coin {
  readonly code: "ETH" | "USDT" | "USDC";
  readonly name: string;
  readonly decimals: number;
  readonly contract?: string;
}

/** The contracts have the addresses that these coins have on Ethereum. */
export const COINS: readonly Coin[] = [
  { code: "ETH", name: "Ether", decimals: 18 },
  {
    code: "USDT",
    name: "Tether USD",
    decimals: 6,
    contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  },
  {
    code: "USDC",
    name: "USD Coin",
    decimals: 6,
    contract: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  },
];

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
