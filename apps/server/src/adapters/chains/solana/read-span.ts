import type {
  BlockName,
  ReadMovement,
  ReadSpan,
  WalletMovement,
  Watch,
} from "../../../domain/ports/chain-reader.ts";
import { tokenAccountOf } from "../../../domain/wallets/solana.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import { isEachBlock, readBlock, readSlots, type SolanaBlock } from "./blocks.ts";
import { slotAt, wholeOf } from "./endpoints.ts";
import { findQuiet } from "./quiet.ts";
import { listSignatures } from "./signatures.ts";
import { costOf, readTransactions, type SolanaTransaction } from "./transactions.ts";

export interface SpanRequest {
  readonly networkCode: string;
  readonly from: BlockName;
  readonly to: bigint;
  readonly watch: Watch;
  /** The public key from which deposit addresses derive. */
  readonly depositsAccount: string;
  /** The most transactions of one address in one answer. */
  readonly pageSize: number;
}

/** All slots of the span are empty. */
const NOTHING: ReadSpan = { blocks: [], movements: [] };

/**
 * Reads the transactions of our addresses, and no whole blocks: a block has thousands of others. The span has the blocks
 * with a movement, the last one and a few more. Returns undefined where the endpoint is behind or on another branch.
 */
export async function readSolanaSpan(
  rpc: Rpc,
  request: SpanRequest,
): Promise<ReadSpan | undefined> {
  const { from, to, watch } = request;
  const [head] = await rpc.ask([slotAt("confirmed")]);
  if (wholeOf(rpc, head, "slot") < to) return undefined;
  const slots = await readSlots(rpc, from.height, to);
  const last = slots.at(-1);
  if (slots[0] !== from.height || last === undefined) return undefined;
  const base = await readBlock(rpc, from.height);
  if (base?.hash !== from.hash) return undefined;
  if (last === from.height) return NOTHING;
  // An endpoint names a block once its index has the block's transactions. A list of before might lack the newest.
  const newest = await readBlock(rpc, last);
  if (newest === null) return undefined;
  if (!isEachBlock(slots, [base, newest])) {
    throw new EndpointFault(
      rpc.name,
      `its ledger lacks blocks between the slots ${slots[0]} and ${last}`,
    );
  }
  const tokenAccounts = tokenAccountsOf(watch);
  const signatures = await listOwn(rpc, request, newest, [...tokenAccounts.keys()]);
  if (!signatures) return undefined;
  const found = await readTransactions(rpc, signatures, "confirmed");
  const transactions = found.flatMap((one) => one ?? []);
  // The index of an endpoint may be ahead of its transactions.
  if (transactions.length < found.length) return undefined;
  const movements = transactions.flatMap((one) => movementsOf(request, one));
  const walletMovements = transactions.flatMap((one) => [
    ...walletMovementsOf(request, one),
    ...tokenMovementsOf(request, one, tokenAccounts),
  ]);
  const blocks = new Map<bigint, BlockName>();
  // Endpoints may list different addresses. A transaction without a movement is not in what they must agree on.
  const moved = [...movements, ...walletMovements].map(({ height }) => height);
  for (const slot of new Set([...moved, ...milestonesOf(slots)])) {
    const isListed = slots.includes(slot);
    const block = slot === last ? newest : isListed ? await readBlock(rpc, slot) : null;
    if (block === null) return undefined;
    const { height, hash, parent } = block;
    blocks.set(slot, { height, hash, parent });
  }
  const inBlock = <T extends { readonly height: bigint }>(one: T) => ({
    ...one,
    blockHash: blocks.get(one.height)?.hash ?? "",
  });
  return {
    blocks: [...blocks.values()].toSorted((a, b) => Number(a.height - b.height)),
    movements: movements.map(inBlock),
    ...(watch.wallets && { walletMovements: walletMovements.map(inBlock) }),
  };
}

/** Lists the transactions of our addresses. Returns undefined where the endpoint is behind. */
async function listOwn(
  rpc: Rpc,
  { from, watch, depositsAccount, pageSize }: SpanRequest,
  last: SolanaBlock,
  tokenAccounts: readonly string[],
): Promise<readonly string[] | undefined> {
  const { addresses, wallets = [], explainedBalances } = watch;
  const range = { after: from.height, to: last.height, pageSize };
  const quiet = explainedBalances
    ? await findQuiet(rpc, { explainedBalances, depositsAccount, range, last })
    : "unproven";
  if (quiet === "behind") return undefined;
  const active =
    quiet === "unproven" ? addresses : addresses.filter((address) => !quiet.has(address));
  return listSignatures(rpc, [...new Set([...active, ...wallets, ...tokenAccounts])], range);
}

/** Returns the token accounts of the hot wallets. A transfer of tokens names them, and not their wallets. */
const tokenAccountsOf = ({ assets, wallets = [] }: Watch) =>
  new Map(
    assets.flatMap(({ assetId, contract }) =>
      contract === null
        ? []
        : wallets.map(
            (wallet) => [tokenAccountOf(wallet, contract), { wallet, assetId, contract }] as const,
          ),
    ),
  );

/** Blocks that may become final: the last one, and some in the newest part of the span. */
const MILESTONE_EVERY = 16;
const MILESTONES = 5;

const milestonesOf = (slots: readonly bigint[]): readonly bigint[] =>
  Array.from({ length: MILESTONES }, (_, at) => slots.length - 1 - at * MILESTONE_EVERY)
    .filter((index) => index > 0)
    .flatMap((index) => slots[index] ?? []);

const coinOf = ({ assets }: Watch) => assets.find(({ contract }) => contract === null);

/** A movement whose block is known by its slot only. */
type Slotted<T extends { readonly blockHash: string }> = Omit<T, "blockHash">;

/** A deposit is what a transaction brought to an address, whatever its instructions were. */
function movementsOf(
  { networkCode, watch }: SpanRequest,
  { signature, height, changes }: SolanaTransaction,
): readonly Slotted<ReadMovement>[] {
  const assetId = coinOf(watch)?.assetId;
  if (assetId === undefined) return [];
  const hot = new Set(watch.wallets ?? []);
  return watch.addresses.flatMap((address): readonly Slotted<ReadMovement>[] => {
    const units = changes.get(address) ?? 0n;
    if (units <= 0n || hot.has(address)) return [];
    const id = `${networkCode}:${signature}:value:${assetId}:${address}:${units}`;
    const at = { address, assetId, units, height };
    return [{ ...at, id, transactionHash: signature, source: "value" }];
  });
}

function walletMovementsOf(
  { networkCode, watch }: SpanRequest,
  transaction: SolanaTransaction,
): readonly Slotted<WalletMovement>[] {
  const { signature, height, changes, payer, rent } = transaction;
  const assetId = coinOf(watch)?.assetId;
  if (assetId === undefined) return [];
  const hot = new Set(watch.wallets ?? []);
  const own = [...new Set([...hot, ...watch.addresses])];
  const at = { transactionHash: signature, assetId, height };
  const name = `${networkCode}:${signature}`;
  const paid = costOf(transaction);
  return own.flatMap((address): readonly Slotted<WalletMovement>[] => {
    // New token accounts are a part of the cost, and go to nobody.
    const units = (changes.get(address) ?? 0n) + (address === payer ? rent : 0n);
    const isMoved = units < 0n || (units > 0n && hot.has(address));
    const id = `${name}:value:${endOf(units)}:${assetId}:${address}:${amountOf(units)}`;
    const counterparty = otherEndOf(changes, address);
    const move = { ...at, id, address, units, counterparty, source: "value" } as const;
    const cost = { ...at, address, units: -paid, counterparty: null, source: "fee" } as const;
    const isPaid = address === payer && paid > 0n;
    return [
      ...(isMoved ? [move] : []),
      ...(isPaid ? [{ ...cost, id: `${name}:fee:${paid}` }] : []),
    ];
  });
}

const endOf = (units: bigint): "in" | "out" => (units < 0n ? "out" : "in");
const amountOf = (units: bigint): bigint => (units < 0n ? -units : units);

/** Returns the movements of the hot wallets' own token accounts of listed tokens. Their other accounts are not looked at. */
const tokenMovementsOf = (
  { networkCode }: SpanRequest,
  { signature, height, tokens }: SolanaTransaction,
  tokenAccounts: ReturnType<typeof tokenAccountsOf>,
): readonly Slotted<WalletMovement>[] =>
  tokens.flatMap((change): readonly Slotted<WalletMovement>[] => {
    const { account, mint, owner: address, units } = change;
    const { wallet, assetId, contract } = tokenAccounts.get(account) ?? {};
    if (wallet !== address || contract !== mint || assetId === undefined) return [];
    const others = tokens.filter((one) => one.mint === mint && one !== change);
    const changes = new Map(others.map((one) => [one.owner, one.units]));
    const counterparty = otherEndOf(changes.set(address, units), address);
    const end = `${endOf(units)}:${assetId}:${address}:${amountOf(units)}`;
    const id = `${networkCode}:${signature}:value:${end}`;
    const at = { transactionHash: signature, assetId, height, address };
    return [{ ...at, id, units, counterparty, source: "value" }];
  });

/** Returns the account with the largest opposite change: where the lamports went, or where they came from. */
function otherEndOf(changes: ReadonlyMap<string, bigint>, address: string): string | null {
  const sign = (changes.get(address) ?? 0n) < 0n ? -1n : 1n;
  const others = [...changes].map(([other, units]) => [other, -units * sign] as const);
  const largest = others.toSorted(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))[0];
  return largest && largest[1] > 0n ? largest[0] : null;
}
