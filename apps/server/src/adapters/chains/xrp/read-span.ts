import type {
  BlockName,
  ReadMovement,
  ReadSpan,
  WalletMovement,
  Watch,
} from "../../../domain/ports/chain-reader.ts";
import { holderOf, joinTag } from "../../../domain/wallets/tagged-address.ts";
import type { Rpc } from "../rpc.ts";
import { readHistory } from "./account-history.ts";
import { readLedgers } from "./ledgers.ts";
import type { XrpMove } from "./moves.ts";

export interface XrpSpanRequest {
  readonly networkCode: string;
  readonly from: BlockName;
  readonly to: bigint;
  readonly watch: Watch;
}

/** A move of an account of ours, and the block that has it. */
interface XrpAccountMove extends XrpMove {
  readonly account: string;
  readonly blockHash: string;
}

/**
 * Reads a span of validated ledgers from one endpoint. Undefined when it does not have all of them. An account takes
 * the deposits of all orders. A payment without the tag of an order reaches that account too, and is a movement of
 * our wallet.
 */
export async function readXrpSpan(
  rpc: Rpc,
  { networkCode, from, to, watch }: XrpSpanRequest,
): Promise<ReadSpan | undefined> {
  const first = from.height + 1n;
  const blocks = await readLedgers(rpc, first, to);
  if (!blocks || !isChain(from, blocks)) return undefined;
  const { wallets = [], addresses } = watch;
  const coin = watch.assets.find(({ contract }) => contract === null);
  const accounts = new Set([...wallets, ...addresses.map(holderOf)]);
  const tags = new Set(addresses);
  const movements: ReadMovement[] = [];
  const walletMovements: WalletMovement[] = [];
  for (const account of coin ? accounts : []) {
    const history = await readHistory(rpc, account, { from: first, to });
    if (!history) return undefined;
    for (const move of history) {
      const blockHash = blocks[Number(move.height - first)]?.hash ?? "";
      const moved = { ...move, account, blockHash };
      const place = { networkCode, assetId: coin?.assetId ?? 0 };
      const key = joinTag({ address: account, memo: move.tag });
      if (isReceived(moved) && move.tag !== null && tags.has(key)) {
        movements.push(toDeposit(moved, { ...place, address: key }));
      } else if (wallets.includes(account)) {
        walletMovements.push(...toWalletMovements(moved, place));
      }
    }
  }
  return { blocks, movements, ...(watch.wallets && { walletMovements }) };
}

/** An endpoint on another branch has nothing to say. */
const isChain = (from: BlockName, blocks: readonly BlockName[]): boolean =>
  blocks.every(({ parent }, index) => parent === (index === 0 ? from : blocks[index - 1])?.hash);

/**
 * Only a transaction that names our account brings coins to a tag. Others, such as an escrow that ends, have no tag
 * of ours.
 */
const isReceived = ({ account, sender, destination, change }: XrpAccountMove): boolean =>
  change > 0n && destination === account && sender !== account;

interface MovedAsset {
  readonly networkCode: string;
  readonly assetId: number;
}

const toDeposit = (
  { hash, change, height, blockHash }: XrpAccountMove,
  { networkCode, assetId, address }: MovedAsset & { readonly address: string },
): ReadMovement => ({
  id: `${networkCode}:${hash}:value`,
  ...{ transactionHash: hash, address, assetId, units: change, height, blockHash },
  source: "value",
});

/** Returns what a transaction changed at our wallet. The tag of a payment that no order awaits is in its name. */
function toWalletMovements(
  move: XrpAccountMove,
  { networkCode, assetId }: MovedAsset,
): WalletMovement[] {
  const { account, hash, sender, destination, tag, fee, change, height, blockHash } = move;
  const isOurs = sender === account;
  const paidFee = isOurs ? fee : 0n;
  const units = change + paidFee;
  const id = `${networkCode}:${hash}`;
  const common = { transactionHash: hash, address: account, assetId, height, blockHash };
  const end = units < 0n ? "out" : "in";
  const other = isOurs ? destination : sender;
  const tagged = !isOurs && tag !== null ? `:tag${tag}` : "";
  const movements: WalletMovement[] = [];
  if (units !== 0n) {
    const name = `${id}:value:${end}:${assetId}:${account}:${units < 0n ? -units : units}${tagged}`;
    movements.push({ ...common, id: name, units, counterparty: other, source: "value" });
  }
  if (paidFee > 0n) {
    const name = `${id}:fee:${paidFee}`;
    movements.push({ ...common, id: name, units: -paidFee, counterparty: null, source: "fee" });
  }
  return movements;
}
