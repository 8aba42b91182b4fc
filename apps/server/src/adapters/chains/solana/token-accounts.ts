import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaForm } from "../../../domain/wallets/solana.ts";
import { readNumber } from "../../../domain/wallets/solana-message.ts";
import {
  type SolanaToken,
  TOKEN_ACCOUNT_BYTES,
} from "../../../domain/wallets/solana-token-message.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { type Account, accountAt } from "./accounts.ts";

export interface TokenAccount {
  readonly mint: string;
  /** The wallet that moves the tokens. */
  readonly owner: string;
  readonly units: bigint;
  /** The issuer lets nothing in or out. */
  readonly isFrozen: boolean;
}

/** Places in the data of a token account, and its states. */
const AT = { mint: 0, owner: 32, units: 64, state: 108 } as const;
const INITIALIZED = 1;
const FROZEN = 2;

/** Reads a token account. Undefined for an account that is not one, as an address without tokens. */
export function tokenAccountIn({ owner, data }: Account): TokenAccount | undefined {
  const state = data[AT.state];
  const isOne = state === INITIALIZED || state === FROZEN;
  if (owner !== TOKEN_PROGRAM || data.length !== TOKEN_ACCOUNT_BYTES || !isOne) return undefined;
  return {
    mint: toSolanaForm(data.subarray(AT.mint, AT.owner)),
    owner: toSolanaForm(data.subarray(AT.owner, AT.units)),
    units: readNumber(data.subarray(AT.units, AT.units + 8)),
    isFrozen: state === FROZEN,
  };
}

/** Reads a token account. How many tokens it has changes from block to block, so nobody has to agree on that. */
export const readTokenAccount = (quorum: Quorum, address: string) =>
  quorum.agree({
    what: `the token account ${address}`,
    ask: async (rpc: Rpc) => {
      const account = await accountAt(rpc, address);
      const { owner, isFrozen } = tokenAccountIn(account) ?? {};
      return { lamports: account.lamports, owner, isFrozen };
    },
    keyOf: ({ lamports, owner, isFrozen }) => [lamports, owner, isFrozen].join(" "),
  });

/** The lowest answer counts, as for lamports. Undefined where an endpoint has no such account. */
export async function readLowestTokens(
  quorum: Quorum,
  address: string,
  reached?: bigint,
): Promise<TokenAccount | undefined> {
  const ask = async (rpc: Rpc) => tokenAccountIn(await accountAt(rpc, address, reached));
  const answers = await quorum.collect({ what: `the token account ${address}`, ask });
  const found = answers.flatMap(({ value }) => value ?? []);
  if (found.length < answers.length) return undefined;
  return found.reduce((low, one) => (one.units < low.units ? one : low));
}

/** Places in the data of a mint. */
const MINT_BYTES = 82;
const MINT_AT = { decimals: 44, isInitialized: 45 } as const;

/** Returns what is wrong with the mint of a token, as enough endpoints have it. Null for one of the Token program. */
export const readMintFault = (
  quorum: Quorum,
  { mint, decimals }: SolanaToken,
): Promise<string | null> =>
  quorum.agree({
    what: `the mint ${mint}`,
    ask: async (rpc) => mintFault(await accountAt(rpc, mint), decimals),
    keyOf: (fault) => fault ?? "none",
  });

function mintFault({ owner, data }: Account, decimals: number): string | null {
  if (owner !== TOKEN_PROGRAM) {
    return owner === SYSTEM_PROGRAM
      ? "is not on the network"
      : `is an account of ${owner}, and not of the Token program`;
  }
  if (data.length !== MINT_BYTES || data[MINT_AT.isInitialized] !== 1) return "is not a mint";
  const said = data[MINT_AT.decimals];
  return said === decimals ? null : `has ${said} decimals, and the catalogue says ${decimals}`;
}
