import {
  type BlockName,
  type ChainHeads,
  Disagreement,
  SpanTooLong,
  type Watch,
} from "../domain/ports/chain-reader.ts";
import { failpoint } from "../failpoints.ts";
import { listWatchedAddresses, readExplainedBalances } from "../storage/chains/addresses.ts";
import { listUnspentCoins } from "../storage/chains/coins.ts";
import {
  beginCursor,
  type ChainCursor,
  claimCursor,
  findBlock,
  findBlockUpTo,
  hasCursor,
} from "../storage/chains/cursors.ts";
import { listFinalAbove } from "../storage/chains/movements.ts";
import { storePending } from "../storage/chains/pending.ts";
import { storeSpan, storeWayBack } from "../storage/chains/scan-steps.ts";
import { listHotWallets } from "../storage/chains/wallet-movements.ts";
import { compareBooks } from "./compare-books.ts";
import { finalize } from "./finalize.ts";
import { reportBreaks, type Scan } from "./scan.ts";

/** The chain lost a block that was final. Payouts of the network are stopped, and a person decides. */
export class DeepReorganisation extends Error {
  override readonly name = "DeepReorganisation";
}

const LEASE_SECONDS = 60;

/**
 * Makes one step: takes back dropped blocks, reads the next ones, or makes read ones final. Returns whether more
 * can be done at once. Everything that a step found out is in one database transaction, so a restart needs nothing
 * special.
 */
export async function scanStep(scan: Scan): Promise<boolean> {
  const { database, networkCode, reader, token } = scan;
  if (!(await hasCursor(database, networkCode))) return begin(scan);
  const lease = { networkCode, token, seconds: LEASE_SECONDS };
  const cursor = await claimCursor(database, lease);
  if (!cursor) return false;
  const heads = await reader.heads();
  if (await goBack(scan, cursor)) return true;
  const reached = heads.believed > cursor.height ? await readNext(scan, cursor, heads) : cursor;
  if (reached.height < heads.believed) return true;
  await finalize(scan, reached, heads);
  await compareBooks(scan);
  await readPending(scan);
  return false;
}

/** A payment missing from this many polls is gone. */
const PATIENCE_LOOKS = 3;

/** Records payments that no block has, so that customers see them. Blocks decide, so a failure only delays the news. */
async function readPending({ database, networkCode, reader, assets, settings, log }: Scan) {
  const asset = assets().find(({ contract }) => contract === null);
  if (!reader.pendingPayments || !asset) return;
  try {
    const listAddresses = () => listWatchedAddresses(database, networkCode);
    const payments = await reader.pendingPayments(asset, listAddresses);
    const patienceMs = settings.pollMs * PATIENCE_LOOKS;
    await storePending(database, networkCode, { payments, patienceMs });
  } catch (error) {
    log.warn({ err: error, network: networkCode }, "unconfirmed payments could not be read");
  }
}

/** A network begins at its final block. No deposit address was shown before. */
async function begin({ database, networkCode, reader }: Scan): Promise<boolean> {
  const { final } = await reader.heads();
  if (final === undefined) throw new Disagreement("no block is final yet");
  const block = await reader.nameOf(final);
  if (block.isEmpty) throw new Disagreement(`the final height ${final} has no block`);
  await beginCursor(database, networkCode, block);
  return true;
}

/** Returns whether the cursor moved back to the last block that the chain still has. */
async function goBack(scan: Scan, cursor: ChainCursor): Promise<boolean> {
  const { database, networkCode, reader, token } = scan;
  let at = await requireBlock(scan, cursor.height);
  // By number: endpoints that are behind do not have the block, and say nothing.
  for (;;) {
    const { hash } = await reader.nameOf(at.height);
    if (hash === at.hash) break;
    if (at.height <= cursor.finalHeight) throw await deepReorganisation(scan, at);
    at = await requireBlockBelow(scan, at);
  }
  if (at.height === cursor.height) return false;
  failpoint("scan.before_back");
  await storeWayBack(database, { networkCode, token }, { from: cursor, to: at });
  scan.log.info({ network: networkCode, height: String(at.height) }, "the chain was reorganised");
  return true;
}

async function requireBlock(scan: Scan, height: bigint): Promise<BlockName> {
  const block = await findBlock(scan.database, scan.networkCode, height);
  if (!block) throw new Error(`block ${height} of ${scan.networkCode} is not stored`);
  return block;
}

async function requireBlockBelow(scan: Scan, { height }: BlockName): Promise<BlockName> {
  const block = await findBlockUpTo(scan.database, scan.networkCode, height - 1n);
  if (!block) throw new Error(`no block of ${scan.networkCode} below ${height} is stored`);
  return block;
}

const NAMED_MAX = 3;

/** Says how deep it went, and which credited deposits are above the last common block. */
async function deepReorganisation(scan: Scan, lost: BlockName): Promise<DeepReorganisation> {
  const { database, networkCode, reader } = scan;
  let at: BlockName | undefined = lost;
  while (at && (await reader.nameOf(at.height)).hash !== at.hash) {
    at = await findBlockUpTo(database, networkCode, at.height - 1n);
  }
  const ids = await listFinalAbove(database, networkCode, at?.height ?? -1n);
  const common = at ? `the last common block is ${at.height}` : "no stored block is left in it";
  const others = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
  const deposits =
    ids.length === 0
      ? "no credited deposit is lost"
      : `credited deposits may be lost: ${ids.slice(0, NAMED_MAX).join(", ")}${others}`;
  return new DeepReorganisation(
    `the chain of ${networkCode} dropped the final block ${lost.height}; ${common}; ${deposits}`,
  );
}

const SPAN_GROWTH = 1.5;

/** Returns the cursor after the next blocks, or the same one when the endpoints refused a span of this length. */
async function readNext(scan: Scan, cursor: ChainCursor, heads: ChainHeads): Promise<ChainCursor> {
  const { database, networkCode, reader, token, settings } = scan;
  const from = await requireBlock(scan, cursor.height);
  const furthest = cursor.height + BigInt(scan.span);
  const to = heads.believed < furthest ? heads.believed : furthest;
  // Listed after the heads were read: an address of a block up to there was stored before it was paid.
  const addresses = await listWatchedAddresses(database, networkCode);
  const wallets = (await listHotWallets(database, networkCode)).map(({ address }) => address);
  // Networks with balances have no coins.
  const coins = reader.balancesAt
    ? []
    : await listUnspentCoins(database, networkCode, cursor.height);
  const explainedBalances = await explainedBalancesOf(scan);
  const assets = scan.assets();
  const watch = {
    addresses,
    wallets,
    assets,
    coins,
    ...(explainedBalances && { explainedBalances }),
  };
  const span = await reader.read(from, to, watch).catch((error: unknown) => {
    scan.span = Math.max(1, Math.floor(Number(to - cursor.height) / 2));
    if (error instanceof SpanTooLong && to - cursor.height > 1n) return undefined;
    throw error;
  });
  if (!span) return cursor;
  const last = span.blocks.at(-1);
  if (!last) {
    if (to === heads.believed) throw new Disagreement(`no block is above ${cursor.height}`);
    // Only a longer span reaches a block.
    scan.span *= 2;
    return cursor;
  }
  failpoint("scan.before_commit");
  const step = { from: cursor, span, keepBlocks: settings.keepBlocks };
  const breaks = await storeSpan(database, { networkCode, token }, step);
  failpoint("scan.after_commit");
  reportBreaks(scan, breaks);
  scan.span = Math.min(settings.spanMax, Math.ceil(scan.span * SPAN_GROWTH));
  return { ...cursor, height: last.height, hash: last.hash };
}

/** Returns what the reader compares to pass over addresses that nothing happened to. */
async function explainedBalancesOf({
  database,
  networkCode,
  reader: { depositsFingerprint: accountFingerprint },
  assets,
}: Scan): Promise<Watch["explainedBalances"]> {
  const coin = assets().find(({ contract }) => contract === null);
  if (accountFingerprint === undefined || !coin) return undefined;
  return readExplainedBalances(database, networkCode, {
    accountFingerprint,
    assetId: coin.assetId,
  });
}
