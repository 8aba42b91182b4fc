import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** A wallet of ours that sends: the hot one makes the payouts, and the gas tank pays for sweeps. */
export interface SendingWallet {
  readonly networkCode: string;
  readonly address: string;
  readonly role: "hot" | "gas";
}

/** The result of registering a wallet. */
export type Registered =
  | { readonly state: "registered" | "unchanged" }
  /** The address is registered in another role, which it keeps. */
  | { readonly state: "of_other_role" }
  /** Another wallet of the network still has transactions that are not final. */
  | { readonly state: "busy"; readonly address: string | null; readonly sends: number };

const FIND_OPEN = statement(
  "chain_wallets_find_open",
  `select id, address, (select count(*)::int from chain_sends send
     where send.wallet_id = wallet.id and send.state in ('bound', 'signed', 'sent')) as sends
   from chain_wallets wallet
   where network_code = $1 and role = $2 and state = 'open' for update`,
);
const FIND_OF_SEND = statement(
  "chain_wallets_find_of_send",
  `select wallet.address from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where send.id = $1`,
);
const CLOSE = statement(
  "chain_wallets_close",
  "update chain_wallets set state = 'closed' where id = $1",
);
// A wallet that was used before goes on after its last place. One of coins or of deadlines has no places.
const OPEN = statement(
  "chain_wallets_open",
  `insert into chain_wallets as wallet (id, network_code, address, kind, next_place, role)
   values ($1 || ':' || $2, $1, $2, $5, $3, $4)
   on conflict (network_code, address) do update set state = 'open',
     next_place = greatest(wallet.next_place, excluded.next_place) where wallet.role = excluded.role
   returning id`,
);
const NOTE_ACCOUNT = statement(
  "chain_wallets_note_account",
  `update chain_wallets set account = $3
   where network_code = $1 and address = $2 and account is distinct from $3`,
);

const HIGHEST_SIGNED = statement(
  "chain_wallets_highest_signed",
  `select max(send.place)::text as place from chain_sends send
     join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = $1 and wallet.role = 'hot' and wallet.state = 'open'
     and exists (select from chain_transactions t where t.send_id = send.id and t.bytes <> '')`,
);

/** Returns the highest place of the network's open hot wallet at which the signer signed. Null without one. */
export async function readHighestSigned(
  queryable: Queryable,
  networkCode: string,
): Promise<bigint | null> {
  const [row] = await queryable.query<{ place: string | null }>(HIGHEST_SIGNED, [networkCode]);
  const place = row?.place ?? null;
  return place === null ? null : BigInt(place);
}

/** Returns whether the send is bound to a place of the wallet with the address. */
export async function isSendOf(
  queryable: Queryable,
  sendId: string,
  address: string,
): Promise<boolean> {
  const [row] = await queryable.query<{ address: string | null }>(FIND_OF_SEND, [sendId]);
  return row?.address === address;
}

/** Returns whether the network's open wallet of the role has the address. */
export async function isWalletOpen(
  tx: Tx,
  { networkCode, address, role }: SendingWallet,
): Promise<boolean> {
  const [row] = await tx.query<{ address: string | null }>(FIND_OPEN, [networkCode, role]);
  return row?.address === address;
}

/** A wallet that is to be opened. Its places begin at `next`, which is null for coins and deadlines. */
export interface NewWallet extends SendingWallet {
  readonly kind: "account" | "coins" | "expiring";
  readonly next: bigint | null;
}

/** Makes this the wallet that sends of its role are bound to. */
export async function openWallet(
  tx: Tx,
  { networkCode, address, role, kind, next }: NewWallet,
): Promise<Registered> {
  const [open] = await tx.query<{ id: string; address: string | null; sends: number }>(FIND_OPEN, [
    networkCode,
    role,
  ]);
  if (open?.address === address) return { state: "unchanged" };
  if (open && open.sends > 0) {
    return { state: "busy", address: open.address, sends: open.sends };
  }
  if (open) await tx.query(CLOSE, [open.id]);
  const opened = await tx.query(OPEN, [networkCode, address, next, role, kind]);
  return { state: opened.length > 0 ? "registered" : "of_other_role" };
}

/** Records which coins of the network are the wallet's: those with the fingerprint of its account. */
export async function noteAccount(
  tx: Tx,
  { networkCode, address }: Pick<SendingWallet, "networkCode" | "address">,
  account: string,
): Promise<void> {
  await tx.write(NOTE_ACCOUNT, [networkCode, address, account]);
}
