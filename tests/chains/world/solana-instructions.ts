import type { AccountMeta, Address, Instruction } from "@solana/kit";
import { solanaBytes, tokenAccountOf } from "../../../apps/server/src/domain/wallets/solana.ts";
import { TOKEN } from "./solana-tokens.ts";

export const SYSTEM = "11111111111111111111111111111111";
const TOKEN_ACCOUNTS = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

export interface Transfer {
  readonly to: string;
  readonly units: bigint;
}

const numberBytes = (value: bigint, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));

/** A transfer of the System Program, as Solana's own library would encode it. */
export const transferOf = (from: string, { to, units }: Transfer): Instruction => ({
  programAddress: SYSTEM as Address,
  accounts: [
    { address: from as Address, role: 3 },
    { address: to as Address, role: 1 },
  ],
  data: Uint8Array.of(...numberBytes(2n, 4), ...numberBytes(units, 8)),
});

/** The instruction `TransferWithSeed`: the key of the account signs for the address that derives from it. */
export const transferWithSeed = (
  account: string,
  seed: string,
  { from, to, units }: Transfer & { readonly from: string },
): Instruction => ({
  programAddress: SYSTEM as Address,
  accounts: [
    { address: from as Address, role: 1 },
    { address: account as Address, role: 2 },
    { address: to as Address, role: 1 },
  ],
  data: Uint8Array.of(
    ...numberBytes(11n, 4),
    ...numberBytes(units, 8),
    ...numberBytes(BigInt(seed.length), 8),
    ...Buffer.from(seed),
    ...new Uint8Array(32),
  ),
});

/** Roles of an account in an instruction. */
const ROLE = { read: 0, write: 1, sign: 2, pay: 3 } as const;
const meta = (address: string, role: keyof typeof ROLE): AccountMeta => ({
  address: address as Address,
  role: ROLE[role],
});

/** Opens the token account of a wallet, unless there is one. */
export const openTokens = (payer: string, wallet: string, mint: string): Instruction => ({
  programAddress: TOKEN_ACCOUNTS as Address,
  accounts: [
    meta(payer, "pay"),
    meta(tokenAccountOf(wallet, mint), "write"),
    meta(wallet, "read"),
    meta(mint, "read"),
    meta(SYSTEM, "read"),
    meta(TOKEN, "read"),
  ],
  data: Uint8Array.of(1),
});

const tokenInstruction = (accounts: readonly AccountMeta[], ...data: number[]): Instruction => ({
  programAddress: TOKEN as Address,
  accounts: [...accounts],
  data: Uint8Array.from(data),
});

/** Makes new tokens in the token account of a wallet. */
export const mintTokens = (authority: string, { to, units }: Transfer, mint: string): Instruction =>
  tokenInstruction(
    [meta(mint, "write"), meta(tokenAccountOf(to, mint), "write"), meta(authority, "sign")],
    ...[7, ...numberBytes(units, 8)],
  );

/** Moves tokens from the token account of a wallet to that of another one. */
export const moveTokens = (from: string, { to, units }: Transfer, mint: string): Instruction =>
  tokenInstruction(
    [
      meta(tokenAccountOf(from, mint), "write"),
      meta(mint, "read"),
      meta(tokenAccountOf(to, mint), "write"),
      meta(from, "sign"),
    ],
    ...[12, ...numberBytes(units, 8), 6],
  );

/** Makes somebody else the owner of the token account of a wallet, with all of its tokens. */
export const giveTokens = (from: string, to: string, mint: string): Instruction =>
  tokenInstruction(
    [meta(tokenAccountOf(from, mint), "write"), meta(from, "sign")],
    ...[6, 2, 1, ...solanaBytes(to)],
  );

/** Closes the token account of a wallet, which has no tokens. The wallet gets its rent. */
export const closeTokens = (wallet: string, mint: string): Instruction =>
  tokenInstruction(
    [meta(tokenAccountOf(wallet, mint), "write"), meta(wallet, "write"), meta(wallet, "sign")],
    9,
  );

/** Freezes the token account of a wallet, or thaws it. */
export const freezeTokens = (
  authority: string,
  wallet: string,
  { mint, isFrozen = true }: { readonly mint: string; readonly isFrozen?: boolean },
): Instruction =>
  tokenInstruction(
    [meta(tokenAccountOf(wallet, mint), "write"), meta(mint, "read"), meta(authority, "sign")],
    isFrozen ? 10 : 11,
  );
