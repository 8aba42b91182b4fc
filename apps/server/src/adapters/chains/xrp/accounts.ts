import type { AssetPlace, BlockName } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import type { Rpc } from "../rpc.ts";
import { xrpWordsOf } from "./words.ts";

/** An account as a ledger has it. */
export interface XrpAccountState {
  /** In drops, the reserve included. */
  readonly balance: bigint;
  /** The next sequence that it uses. */
  readonly sequence: bigint;
  readonly flags: bigint;
  /** The objects that raise its reserve. */
  readonly ownerCount: bigint;
  /** Whether it belongs to a pool or a vault of the ledger, and to no person. */
  readonly isPseudo: boolean;
}

export type LedgerOf = { readonly ledger_hash: string } | { readonly ledger_index: string };

/** Returns an account, or null where the ledger has none. Undefined where the endpoint does not have the ledger. */
export async function readAccount(
  rpc: Rpc,
  address: string,
  ledger: LedgerOf,
): Promise<XrpAccountState | null | undefined> {
  const words = xrpWordsOf(rpc.name);
  const [answer] = (await rpc.ask([["account_info", { account: address, ...ledger }]])) as Record<
    string,
    unknown
  >[];
  if (answer?.["error"] === "actNotFound") return null;
  if (["lgrNotFound", "ledgerNotFound"].includes(String(answer?.["error"]))) return undefined;
  const found = words.object(answer?.["account_data"]);
  const isPseudo = ["AMMID", "VaultID", "LoanBrokerID"].some((name) => found[name] !== undefined);
  return {
    balance: words.drops(found["Balance"]),
    sequence: words.whole(found["Sequence"]),
    flags: words.whole(found["Flags"] ?? "0"),
    ownerCount: words.whole(found["OwnerCount"] ?? "0"),
    isPseudo,
  };
}

/** Reads accounts after a final ledger, as enough endpoints and the operator's own nodes have them. */
export function accountsAt(
  quorum: Quorum,
  { hash, height }: BlockName,
  addresses: readonly string[],
): Promise<readonly (XrpAccountState | null)[]> {
  const ask = async (rpc: Rpc): Promise<readonly (XrpAccountState | null)[] | undefined> => {
    const found: (XrpAccountState | null)[] = [];
    for (const address of addresses) {
      const account = await readAccount(rpc, address, { ledger_hash: hash });
      if (account === undefined) return undefined;
      found.push(account);
    }
    return found;
  };
  return quorum.agree({
    what: `accounts at ledger ${height}`,
    ask,
    keyOf: (found) => found && found.map(keyOfAccount).join("\n"),
    needsOwn: true,
  }) as Promise<readonly (XrpAccountState | null)[]>;
}

const keyOfAccount = (account: XrpAccountState | null): string =>
  account === null ? "none" : Object.values(account).map(String).join(" ");

/** Returns the drops of each place. The ledger's other assets are not ours. */
export async function xrpBalancesAt(
  quorum: Quorum,
  block: BlockName,
  places: readonly AssetPlace[],
): Promise<readonly bigint[]> {
  const addresses = [...new Set(places.map(({ address }) => address))];
  if (addresses.length === 0) return [];
  const found = await accountsAt(quorum, block, addresses);
  return places.map(({ address, asset }) =>
    asset.contract === null ? (found[addresses.indexOf(address)]?.balance ?? 0n) : 0n,
  );
}
