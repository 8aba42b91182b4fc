import { SYSTEM_PROGRAM } from "../../../domain/wallets/solana.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { askReached, type Commitment, listOf, objectOf, wholeOf } from "./endpoints.ts";

interface AccountState {
  readonly lamports: bigint;
  /** The program that owns the account. An unused address has the System Program. */
  readonly owner: string;
}

/** The accounts of addresses, as an endpoint has them after some blocks. */
export interface ReadAccounts {
  /** The slot of the newest of those blocks. */
  readonly newest: bigint;
  readonly byAddress: ReadonlyMap<string, AccountState>;
}

interface NodeAccounts {
  readonly context?: { readonly slot?: unknown };
  readonly value?: unknown;
}

interface NodeAccount {
  readonly lamports?: unknown;
  readonly owner?: unknown;
}

/** The most addresses that a node takes in one question. */
export const ACCOUNTS_AT_ONCE = 100;
const UNUSED: AccountState = { lamports: 0n, owner: SYSTEM_PROGRAM };

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
  const byAddress = new Map<string, AccountState>();
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
      const account = objectOf<NodeAccount>(rpc, accounts[index], address);
      const lamports = account && wholeOf(rpc, account.lamports, "balance");
      byAddress.set(address, lamports === null ? UNUSED : { lamports, owner: ownerOf(account) });
    }
  }
  return { newest, byAddress };
}

const ownerOf = (account: NodeAccount | null): string => String(account?.owner);

/** The accounts without their data. */
export const questionAboutAccounts = (
  addresses: readonly string[],
  commitment: Commitment,
  from: bigint,
): RpcCall => [
  "getMultipleAccounts",
  addresses,
  {
    commitment,
    encoding: "base64",
    dataSlice: { offset: 0, length: 0 },
    minContextSlot: Number(from),
  },
];
