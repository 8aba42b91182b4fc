import { TOKEN_PROGRAM } from "../../../domain/wallets/solana.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { listOf, wholeOf } from "./endpoints.ts";

/** Units that a transaction brought to a token account of a wallet. Negative for those that left it. */
export interface TokenChange {
  readonly account: string;
  readonly mint: string;
  /** The wallet that the account belongs to. */
  readonly owner: string;
  readonly units: bigint;
}

/** The tokens of one account, at one moment. */
type TokenBalance = Omit<TokenChange, "account">;

interface NodeTokenBalance {
  readonly accountIndex?: unknown;
  readonly mint?: unknown;
  readonly owner?: unknown;
  readonly programId?: unknown;
  readonly uiTokenAmount?: { readonly amount?: unknown };
}

/**
 * Returns the tokens of the Token program in the accounts of a transaction, by account. A node always sends the list,
 * which may be empty. An endpoint that leaves out the list or an owner is not believed. A token account may change
 * its owner, and its tokens then belong to the new one.
 */
export function readTokens(
  rpc: Rpc,
  answer: unknown,
  accounts: readonly string[],
): ReadonlyMap<string, TokenBalance> {
  const list = listOf<NodeTokenBalance | null>(rpc, answer, "tokens");
  return new Map(
    list.flatMap((one): (readonly [string, TokenBalance])[] => {
      const { accountIndex, mint, owner, programId, uiTokenAmount } = one ?? {};
      const account = accounts[Number(wholeOf(rpc, accountIndex, "account"))];
      const isRead = [account, mint, owner, programId].every((word) => typeof word === "string");
      if (!isRead || !account) {
        throw new EndpointFault(rpc.name, "the owner or the mint of a token account is missing");
      }
      if (programId !== TOKEN_PROGRAM) return [];
      const units = wholeOf(rpc, uiTokenAmount?.amount, "token balance");
      return [[account, { mint: String(mint), owner: String(owner), units }]];
    }),
  );
}

/** Returns what changed. An account that changed its owner is emptied for the one, and filled for the other. */
export function tokenChangesOf(
  before: ReadonlyMap<string, TokenBalance>,
  after: ReadonlyMap<string, TokenBalance>,
): readonly TokenChange[] {
  const all = [...new Set([...before.keys(), ...after.keys()])].sort();
  return all
    .flatMap((account): TokenChange[] => {
      const [left, came] = [before.get(account), after.get(account)];
      const isSame = left?.owner === came?.owner && left?.mint === came?.mint;
      if (left && came && isSame) return [{ ...came, account, units: came.units - left.units }];
      return [
        ...(left ? [{ ...left, account, units: -left.units }] : []),
        ...(came ? [{ ...came, account }] : []),
      ];
    })
    .filter(({ units }) => units !== 0n);
}
