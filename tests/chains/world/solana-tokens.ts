import { type Address, lamports } from "@solana/kit";
import type { LiteSVM } from "litesvm";
import { solanaBytes, toSolanaForm } from "../../../apps/server/src/domain/wallets/solana.ts";

/** Tokens of the chain of the tests. The virtual machine has the real Token program. */
export const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
export const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
/** The mints of the catalogue. */
export const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
export const USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";
const MINT_RENT = 1_461_600n;
const DECIMALS = 6;

/** A mint whose tokens the authority makes and freezes. */
function mintData(authority: string): Uint8Array {
  const data = new Uint8Array(82);
  data.set([1, 0, 0, 0], 0);
  data.set(solanaBytes(authority), 4);
  data.set([DECIMALS, 1, 1, 0, 0, 0], 44);
  data.set(solanaBytes(authority), 50);
  return data;
}

/** Puts USDC and USDT on the chain. USDT is a token of Token-2022 here, as a wrong line of the catalogue could name one. */
export function addMints(svm: LiteSVM, authority: string): void {
  for (const [mint, program] of [
    [USDC, TOKEN],
    [USDT, TOKEN_2022],
  ] as const) {
    const data = mintData(authority);
    svm.setAccount({
      address: mint as Address,
      lamports: lamports(MINT_RENT),
      programAddress: program as Address,
      data,
      executable: false,
      space: BigInt(data.length),
    });
  }
}

/** The tokens of one account of a transaction, by its place among the accounts. */
export interface TokenHolding {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly units: bigint;
}

/** Returns the tokens in accounts, as a node tells them. */
export const tokensIn = (
  accounts: readonly { readonly owner: string; readonly data: Uint8Array }[],
): readonly TokenHolding[] =>
  accounts.flatMap(({ owner: programId, data }, accountIndex) => {
    if (![TOKEN, TOKEN_2022].includes(programId) || data.length < 165) return [];
    const units = new DataView(data.buffer, data.byteOffset).getBigUint64(64, true);
    const [mint, owner] = [data.subarray(0, 32), data.subarray(32, 64)].map(toSolanaForm);
    return [{ accountIndex, mint: mint ?? "", owner: owner ?? "", programId, units }];
  });
