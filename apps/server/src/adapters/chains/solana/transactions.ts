import {
  ACCOUNT_OVERHEAD_BYTES,
  TOKEN_ACCOUNT_BYTES,
} from "../../../domain/wallets/solana-token-message.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { type Commitment, listOf, objectOf, wholeOf } from "./endpoints.ts";
import { readTokens, type TokenChange, tokenChangesOf } from "./token-balances.ts";

/** A transaction in a block, by what it changed. Transfers inside of programs, and many at once, need no other rule. */
export interface SolanaTransaction {
  readonly signature: string;
  readonly height: bigint;
  /** Why it failed, in the node's words. Null where it succeeded. A failed one costs its fee. */
  readonly error: string | null;
  /** The account that paid the fee. */
  readonly payer: string;
  /** In lamports. */
  readonly fee: bigint;
  /** The lamports that each account has more or fewer after it. The fee is not among them. */
  readonly changes: ReadonlyMap<string, bigint>;
  /** The tokens that each wallet has more or fewer in one of its accounts. */
  readonly tokens: readonly TokenChange[];
  /** The lamports that the payer paid for new token accounts, at most what each of them needs. */
  readonly rent: bigint;
}

const LAMPORTS_PER_BYTE = 6_960n;
/** More lamports than these can be taken out of a token account again, so they are not a cost. */
const RENT_MAX = LAMPORTS_PER_BYTE * BigInt(TOKEN_ACCOUNT_BYTES + ACCOUNT_OVERHEAD_BYTES);

/** Returns what a transaction cost its payer besides what it sent. */
export const costOf = ({ fee, rent }: Pick<SolanaTransaction, "fee" | "rent">): bigint =>
  fee + rent;

interface NodeTransaction {
  readonly slot?: unknown;
  readonly transaction?: {
    readonly signatures?: readonly unknown[];
    readonly message?: { readonly accountKeys?: unknown };
  };
  readonly meta?: {
    readonly err?: unknown;
    readonly fee?: unknown;
    readonly preBalances?: unknown;
    readonly postBalances?: unknown;
    readonly preTokenBalances?: unknown;
    readonly postTokenBalances?: unknown;
    readonly loadedAddresses?: { readonly writable?: unknown; readonly readonly?: unknown };
  } | null;
}

/** The highest transaction version that is accepted. Every version reports balance changes in the same form. */
const VERSION_MAX = 127;

export const questionAbout = (signature: string, commitment: Commitment): RpcCall => [
  "getTransaction",
  signature,
  { encoding: "json", commitment, maxSupportedTransactionVersion: VERSION_MAX },
];

/** Reads transactions. Null stands for one that the endpoint does not have. */
export async function readTransactions(
  rpc: Rpc,
  signatures: readonly string[],
  commitment: Commitment,
): Promise<readonly (SolanaTransaction | null)[]> {
  const answers = await rpc.ask(signatures.map((one) => questionAbout(one, commitment)));
  return signatures.map((signature, at) => readTransaction(rpc, signature, answers[at]));
}

function readTransaction(rpc: Rpc, signature: string, answer: unknown): SolanaTransaction | null {
  const what = `transaction ${signature}`;
  const found = objectOf<NodeTransaction>(rpc, answer, what);
  if (found === null) return null;
  const { slot, transaction, meta } = found;
  if (!meta || transaction?.signatures?.[0] !== signature) {
    throw new EndpointFault(rpc.name, `the answer about ${what} is of another one`);
  }
  const { loadedAddresses: loaded = {} } = meta;
  const accounts = [transaction.message?.accountKeys, loaded.writable ?? [], loaded.readonly ?? []]
    .flatMap((part) => listOf<unknown>(rpc, part, what))
    .map(String);
  const before = listOf<unknown>(rpc, meta.preBalances, what);
  const after = listOf<unknown>(rpc, meta.postBalances, what);
  const [payer] = accounts;
  if (!payer || before.length !== accounts.length || after.length !== accounts.length) {
    throw new EndpointFault(rpc.name, `the balances of ${what} cannot be read`);
  }
  const fee = wholeOf(rpc, meta.fee, "fee");
  const lamports = (value: unknown): bigint => wholeOf(rpc, value, "balance");
  const changes = accounts.map((account, at): [string, bigint] => {
    const change = lamports(after[at]) - lamports(before[at]);
    return [account, at === 0 ? change + fee : change];
  });
  const { err = null } = meta;
  const ofLamports = new Map(changes);
  const tokensBefore = readTokens(rpc, meta.preTokenBalances, accounts);
  const tokensAfter = readTokens(rpc, meta.postTokenBalances, accounts);
  const opened = [...tokensAfter.keys()].filter((account) => !tokensBefore.has(account));
  const rent = opened
    .map((account) => ofLamports.get(account) ?? 0n)
    .reduce((sum, units) => sum + (units < RENT_MAX ? units : RENT_MAX), 0n);
  const spent = -(ofLamports.get(payer) ?? 0n);
  return {
    signature,
    height: wholeOf(rpc, slot, "slot"),
    error: err === null ? null : JSON.stringify(err).slice(0, 200),
    payer,
    fee,
    changes: ofLamports,
    tokens: tokenChangesOf(tokensBefore, tokensAfter),
    // If the payer lost less than that, somebody else paid for the accounts.
    rent: rent > 0n && rent <= spent ? rent : 0n,
  };
}
