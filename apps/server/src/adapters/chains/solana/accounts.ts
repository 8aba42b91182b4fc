import { SYSTEM_PROGRAM } from "../../../domain/wallets/solana.ts";
import { TOKEN_ACCOUNT_BYTES } from "../../../domain/wallets/solana-token-message.ts";
import { middleOf, type Quorum } from "../agree.ts";
import { EndpointFault, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { askReached, type Commitment, listOf, objectOf, wholeOf } from "./endpoints.ts";

export interface Account {
  readonly lamports: bigint;
  /** The program that owns the account. An unused address has the System Program. */
  readonly owner: string;
  readonly isProgram: boolean;
  /** The beginning of its data, at most the length of a token account. */
  readonly data: Uint8Array;
}

/** The accounts of addresses, as an endpoint has them after some blocks. */
export interface ReadAccounts {
  /** The slot of the newest of those blocks. */
  readonly newest: bigint;
  readonly byAddress: ReadonlyMap<string, Account>;
}

interface NodeAccounts {
  readonly context?: { readonly slot?: unknown };
  readonly value?: unknown;
}

interface NodeAccount {
  readonly lamports?: unknown;
  readonly owner?: unknown;
  readonly executable?: unknown;
  readonly data?: unknown;
}

/** The most addresses that a node takes in one question. */
export const ACCOUNTS_AT_ONCE = 100;
/** The data that is asked for: all of a token account and of a mint. A wallet has none. */
export const SLICE = { offset: 0, length: TOKEN_ACCOUNT_BYTES } as const;

/**
 * Reads accounts after the block of the slot, or after a later one. Returns undefined where the endpoint has not reached
 * it. Each answer may be of another block, because each is of the newest one.
 */
export async function readAccounts(
  rpc: Rpc,
  addresses: readonly string[],
  { commitment, from }: { readonly commitment: Commitment; readonly from: bigint },
): Promise<ReadAccounts | undefined> {
  const parts = Array.from(
    { length: Math.ceil(addresses.length / ACCOUNTS_AT_ONCE) },
    (_, at): readonly string[] =>
      addresses.slice(at * ACCOUNTS_AT_ONCE, (at + 1) * ACCOUNTS_AT_ONCE),
  );
  const calls = parts.map((part) => questionAboutAccounts(part, commitment, from));
  const answers = await askReached(rpc, calls);
  if (!answers) return undefined;
  let newest = from;
  const byAddress = new Map<string, Account>();
  for (const [at, part] of parts.entries()) {
    const { context, value } = objectOf<NodeAccounts>(rpc, answers[at], "accounts") ?? {};
    const slot = wholeOf(rpc, context?.slot, "slot");
    // Some nodes ignore `minContextSlot`.
    if (slot < from) return undefined;
    if (slot > newest) newest = slot;
    const accounts = listOf<unknown>(rpc, value, "accounts");
    if (accounts.length !== part.length) {
      throw new EndpointFault(rpc.name, `${accounts.length} of ${part.length} accounts came`);
    }
    for (const [index, address] of part.entries()) {
      byAddress.set(address, readAnswer(rpc, accounts[index], address));
    }
  }
  return { newest, byAddress };
}

export const questionAboutAccounts = (
  addresses: readonly string[],
  commitment: Commitment,
  from: bigint,
): RpcCall => [
  "getMultipleAccounts",
  addresses,
  { commitment, encoding: "base64", dataSlice: SLICE, minContextSlot: Number(from) },
];

/** Reads an account as a node answers it. Null stands for none. */
function readAnswer(rpc: Rpc, value: unknown, address: string): Account {
  const account = objectOf<NodeAccount>(rpc, value, address);
  if (account === null) {
    return { lamports: 0n, owner: SYSTEM_PROGRAM, isProgram: false, data: new Uint8Array() };
  }
  const { lamports, owner, executable, data } = account;
  const [text, encoding] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  if (typeof text !== "string" || encoding !== "base64") {
    throw new EndpointFault(rpc.name, `the data of ${address} cannot be read`);
  }
  return {
    lamports: wholeOf(rpc, lamports, "balance"),
    owner: String(owner),
    isProgram: executable === true,
    data: Uint8Array.from(Buffer.from(text, "base64")),
  };
}

/** Returns the rent-exempt minimum of an account with this number of bytes of data, in lamports. */
export function readLeast(quorum: Quorum, bytes = 0): Promise<bigint> {
  const ask = async (rpc: Rpc): Promise<bigint> => {
    const [answer] = await rpc.ask([["getMinimumBalanceForRentExemption", bytes]]);
    return wholeOf(rpc, answer, "rent");
  };
  return quorum.agree({ what: "the rent of an account", ask, keyOf: String });
}

/** Returns what enough endpoints have at an address. Its data are not among it, because they change from block to block. */
export const readAccount = (quorum: Quorum, address: string): Promise<Omit<Account, "data">> =>
  quorum.agree({
    what: `the account ${address}`,
    ask: (rpc) => accountAt(rpc, address),
    keyOf: ({ lamports, owner, isProgram }) => [lamports, owner, isProgram].join(" "),
  });

/**
 * Returns the owner that enough endpoints see at an address. Its balance may change with each block, so they need not
 * agree on that.
 */
export const readOwner = (
  quorum: Quorum,
  address: string,
): Promise<Pick<Account, "owner" | "isProgram">> =>
  quorum.agree({
    what: `the owner of ${address}`,
    ask: (rpc) => accountAt(rpc, address),
    keyOf: ({ owner, isProgram }) => [owner, isProgram].join(" "),
  });

/** Returns the balance of an address. Of the endpoints' answers the middle one counts, so that one endpoint decides nothing. */
export async function readMiddle(quorum: Quorum, address: string): Promise<bigint> {
  const ask = (rpc: Rpc): Promise<Account> => accountAt(rpc, address);
  const answers = await quorum.collect({ what: `the balance of ${address}`, ask });
  return middleOf(answers.map(({ value }) => value.lamports));
}

/**
 * The lowest answer counts: a node that is ahead may see coins of a block that is dropped. One that has not reached the
 * slot says nothing.
 */
export async function readLowest(
  quorum: Quorum,
  address: string,
  reached?: bigint,
): Promise<Account> {
  const ask = (rpc: Rpc): Promise<Account> => accountAt(rpc, address, reached);
  const answers = await quorum.collect({ what: `the account ${address}`, ask });
  return answers
    .map(({ value }) => value)
    .reduce((low, one) => (one.lamports < low.lamports ? one : low));
}

/** Returns the newest account of an address. Throws where the endpoint has not reached the slot. */
export async function accountAt(rpc: Rpc, address: string, reached = 0n): Promise<Account> {
  const words = { commitment: "confirmed", encoding: "base64", dataSlice: SLICE };
  const call: RpcCall = ["getAccountInfo", address, words];
  const [answer] = await rpc.ask([call]);
  const { context, value = null } = objectOf<NodeAccounts>(rpc, answer, address) ?? {};
  const slot = wholeOf(rpc, context?.slot, "slot");
  if (slot < reached) {
    // Being a moment behind is not a fault.
    throw new RpcRefusal(`${rpc.name}: its balances are of slot ${slot}, below ${reached}`);
  }
  return readAnswer(rpc, value, address);
}
