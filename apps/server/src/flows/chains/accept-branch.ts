import type { Operator } from "../../domain/operators/operator.ts";
import type {
  ChainReader,
  ReadSpan,
  WatchedAsset,
  WatchedCoin,
} from "../../domain/ports/chain-reader.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { listWatchedAddresses } from "../../storage/chains/addresses.ts";
import { listUnspentCoins } from "../../storage/chains/coins.ts";
import { type ChainCursor, findBlock, findCursor } from "../../storage/chains/cursors.ts";
import { type Branch, switchToBranch } from "../../storage/chains/scan-steps.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireReason } from "../requirements.ts";

export interface AcceptBranch {
  readonly networkCode: string;
  readonly reason: string;
  readonly by: Operator;
  /** The assets of the network. */
  readonly assets: readonly WatchedAsset[];
}

type Reader = Pick<ChainReader, "heads" | "nameOf" | "read" | "balancesAt">;

/**
 * Goes on with a network that dropped final blocks, from the final block that its endpoints agree on now. Credited
 * deposits stay credited, because their money may have been paid out. Returns the height.
 */
export async function acceptBranch(
  deps: Pick<Deps, "database" | "environment">,
  reader: Reader,
  command: AcceptBranch,
): Promise<bigint> {
  const operator = requireOperator(deps, command.by);
  const { networkCode } = command;
  const reason = requireReason(command.reason);
  const { database } = deps;
  const cursor = await findCursor(database, networkCode);
  if (!cursor) throw invalid(`The network ${networkCode} was never read.`);
  await requireLostBlock(deps, reader, { networkCode, cursor });
  const { final } = await reader.heads();
  if (final === undefined || final < cursor.finalHeight) {
    throw invalid(
      `The endpoints' final block is ${final ?? "unknown"}, below ours (${cursor.finalHeight}). Wait until it is above.`,
    );
  }
  const block = await reader.nameOf(final);
  if (block.isEmpty) throw invalid(`The final height ${final} has no block. Repeat the command.`);
  const branch = reader.balancesAt
    ? undefined
    : await readBranch(deps, reader, { command, cursor, final });
  await database.transaction(async (tx) => {
    if (!(await switchToBranch(tx, networkCode, { block, branch }))) {
      throw invalid(`The scanner of ${networkCode} has gone on meanwhile. Look again.`);
    }
    await logControl(tx, {
      operator,
      action: "accept_branch",
      subject: `chain:${networkCode}`,
      details: { reason },
      before: { height: String(cursor.finalHeight), hash: cursor.hash },
      after: { height: String(block.height), hash: block.hash },
    });
  });
  return block.height;
}

const BLOCKS_AT_ONCE = 20n;

/**
 * Reads the branch from the last block that it shares with ours. Without balances only the blocks show which deposits
 * it has.
 */
async function readBranch(
  { database }: Pick<Deps, "database">,
  reader: Reader,
  place: {
    readonly command: AcceptBranch;
    readonly cursor: ChainCursor;
    readonly final: bigint;
  },
): Promise<Branch> {
  const { networkCode, assets } = place.command;
  let from = await findBlock(database, networkCode, place.cursor.finalHeight);
  while (from && (await reader.nameOf(from.height)).hash !== from.hash) {
    from = await findBlock(database, networkCode, from.height - 1n);
  }
  if (!from) {
    throw invalid(
      `No stored block of ${networkCode} is in the branch. Its nodes follow another chain: correct the endpoints.`,
    );
  }
  const addresses = await listWatchedAddresses(database, networkCode);
  const coins = [...(await listUnspentCoins(database, networkCode, from.height))];
  const spans: ReadSpan[] = [];
  for (let at = from; at.height < place.final; ) {
    const furthest = at.height + BLOCKS_AT_ONCE;
    const to = furthest < place.final ? furthest : place.final;
    const span = await reader.read(at, to, { addresses, assets, coins });
    spans.push(span);
    coins.push(...coinsMadeIn(span, networkCode));
    at = span.blocks.at(-1) ?? at;
  }
  return { from: from.height, spans };
}

/** Returns the coins that the blocks made. A later block of the branch may spend them. A deposit is named by its outpoint. */
const coinsMadeIn = ({ coins, movements }: ReadSpan, networkCode: string): WatchedCoin[] => [
  ...(coins?.made ?? []).map(({ outpoint, units }) => ({ outpoint, units, address: null })),
  ...movements.map(({ id, units, address }) => ({
    outpoint: id.slice(`${networkCode}:`.length),
    units,
    address,
  })),
];

/** A network that lost nothing needs no decision: its scanner goes on by itself. */
async function requireLostBlock(
  { database }: Pick<Deps, "database">,
  reader: Pick<ChainReader, "nameOf">,
  { networkCode, cursor }: { readonly networkCode: string; readonly cursor: ChainCursor },
): Promise<void> {
  const ours = await findBlock(database, networkCode, cursor.finalHeight);
  const theirs = await reader.nameOf(cursor.finalHeight);
  if (ours?.hash === theirs.hash) {
    throw invalid(`${networkCode} has lost no final block, so there is nothing to accept.`);
  }
}

const invalid = (message: string): Refusal => new Refusal("INVALID_INPUT", { message });
