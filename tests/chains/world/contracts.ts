import { readFileSync } from "node:fs";

const CODES = JSON.parse(
  readFileSync(new URL("../contracts/odd-contracts.json", import.meta.url), "utf8"),
) as Readonly<Record<ContractName, string>>;

export type ContractName = "Token" | "Liar" | "Splitter" | "Bomb";

/** The first four bytes of the hashes of the contracts' functions, as the compiler prints them. */
const SELECTORS = {
  "transfer(address,uint256)": "a9059cbb",
  "moveSilently(address,uint256)": "dd585f52",
  "sayTwice(address,uint256)": "f45b4e06",
  "setFee(uint256)": "69fe0e2d",
  "balanceOf(address)": "70a08231",
  "pay(address)": "0c11dedd",
  "tryAndFail(address)": "51080fd9",
} as const;

export type ContractFunction = keyof typeof SELECTORS;

const word = (value: string | bigint): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

/** Returns the data of a call. Addresses and numbers are one word each. */
export const callData = (name: ContractFunction, ...values: readonly (string | bigint)[]): string =>
  `0x${SELECTORS[name]}${values.map(word).join("")}`;

/** Returns the data of a transaction that makes the contract. */
export const creationData = (name: ContractName, ...values: readonly (string | bigint)[]): string =>
  `${CODES[name]}${values.map(word).join("")}`;
