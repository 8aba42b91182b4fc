import { expect } from "vitest";
import type { OrderView } from "../../../apps/server/src/domain/orders/view.ts";
import type { Failpoint } from "../../../apps/server/src/failpoints.ts";
import { Refusal } from "../../../apps/server/src/flows/refusal.ts";
import { findCursor } from "../../../apps/server/src/storage/chains/cursors.ts";
import { hurryJobs } from "../../../apps/server/src/storage/jobs/jobs.ts";
import { readBalance } from "../../../apps/server/src/storage/ledger/balances.ts";
import { type Database, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import type { CommandLine } from "../../../apps/server/src/testing/command-line.ts";
import { seededNumbers } from "../../simulation/campaign.ts";
import type { LiveSigner } from "./live-signer.ts";
import type { PayingService } from "./paying-service.ts";
import type { Worker, Workers } from "./workers.ts";

/** Returns a whole number from 0 up to the number below. */
export type Pick = (below: number) => number;

/** Something that happens in a history. It happens as often as its weight says. */
export interface Operation {
  readonly name: string;
  readonly weight: number;
  run(pick: Pick): Promise<void>;
}

export type Counts = Record<string, number>;

/** An order of a history, and the address that nothing else is paid to. */
export interface Purchase {
  readonly view: OrderView;
  readonly to: string;
  readonly asset: string;
}

/** A customer who gets no quote, because the worker was away for too long, buys nothing. */
export async function buyIfQuoted(buy: () => Promise<Purchase>): Promise<readonly Purchase[]> {
  try {
    return [await buy()];
  } catch (error) {
    if (error instanceof Refusal && error.code === "LIQUIDITY_UNAVAILABLE") return [];
    throw error;
  }
}

/** How often a purchase is tried that must succeed. Each try waits for a quote. */
const TRIES = 4;

/** Buys at the start and the end of a history, when everything runs. */
export async function buyAtLast(buy: () => Promise<Purchase>): Promise<Purchase> {
  for (let tries = 1; tries < TRIES; tries += 1) {
    const [bought] = await buyIfQuoted(buy);
    if (bought) return bought;
  }
  return buy();
}

/** The pause after an operation, in which the worker goes on: up to this time. */
const PAUSE_MAX_MS = 250;

/** Plays operations in the order that the seed decides. A history without a worker needs no pause. */
export async function playOperations(
  operations: readonly Operation[],
  {
    seed,
    length,
    pauseMaxMs = PAUSE_MAX_MS,
  }: { readonly seed: number; readonly length: number; readonly pauseMaxMs?: number },
): Promise<Counts> {
  const random = seededNumbers(seed);
  const pick: Pick = (below) => Math.floor(random() * below);
  const all = operations.flatMap((one) => Array.from({ length: one.weight }, () => one));
  const counts: Counts = {};
  for (let index = 0; index < length; index += 1) {
    const operation = all[pick(all.length)];
    if (!operation) throw new Error("there is no operation");
    await operation.run(pick);
    counts[operation.name] = (counts[operation.name] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, pick(pauseMaxMs)));
  }
  return counts;
}

const DOOMS: readonly Failpoint[] = [
  "payout.before_bind",
  "payout.after_bind",
  "send.after_request",
  "payout.after_sign",
  "payout.after_sign_recorded",
  "payout.after_broadcast",
  "payout.after_broadcast_recorded",
  "payout.after_replace",
  "payout.after_replace_recorded",
  "payout.before_complete",
  "payout.after_complete",
  "send.before_final",
  "send.after_final",
];

export interface PayingParties {
  readonly workers: Workers;
  readonly signer: LiveSigner;
  readonly line: CommandLine;
  /** The rail, such as chain:litecoin. */
  readonly rail: string;
  /** Failpoints that only this kind of network passes. */
  readonly failpoints?: readonly Failpoint[];
}

/** The worker, the signer and the operators of a history. */
export interface Parties {
  readonly operations: readonly Operation[];
  /** Starts the worker again if it died. */
  revive(): Promise<void>;
  /** Ends every stop of payouts, by two people if it takes two. */
  resume(): Promise<void>;
  /** Whether an operation stopped the payouts. */
  wereStopped(): boolean;
  /** Starts everything that is away, and a worker that is not doomed. */
  heal(): Promise<void>;
}

/** Kills the worker at random moments and places, and the signer, and lets operators stop the payouts. */
export function makeParties(parties: PayingParties): Parties {
  const { workers, signer, line, rail, failpoints = [] } = parties;
  const dooms = [...DOOMS, ...failpoints];
  let worker: Worker | undefined;
  let wereStopped = false;
  const startWorker = async (failpoint?: Failpoint): Promise<void> => {
    await worker?.kill();
    worker = await workers.start(failpoint);
  };
  const revive = async (): Promise<void> => {
    if (worker === undefined || worker.hasEnded()) await startWorker();
  };
  const stops = () => line.runJson<readonly unknown[]>("payouts", "stops");
  const resume = async (): Promise<void> => {
    for (const person of ["anna", "ben"]) {
      if ((await stops()).length === 0) return;
      await line.run("payouts", "resume", "--rail", rail, "--as", person);
    }
  };
  const operations: readonly Operation[] = [
    { name: "kill worker", weight: 1, run: () => startWorker() },
    { name: "doom worker", weight: 2, run: (pick) => startWorker(dooms[pick(dooms.length)]) },
    {
      name: "signer",
      weight: 2,
      run: (pick) => (pick(2) === 0 ? signer.stop() : signer.start()),
    },
    {
      name: "stop or resume",
      weight: 2,
      run: async (pick) => {
        if (pick(2) === 0) return resume();
        wereStopped = true;
        const words = ["payouts", "stop", "--rail", rail, "--reason", "a history", "--as", "anna"];
        await line.run(...words);
      },
    },
  ];
  return {
    operations,
    revive,
    resume,
    wereStopped: () => wereStopped,
    heal: async () => {
      await signer.start();
      await startWorker();
      await resume();
    },
  };
}

/** The answers of the chain and of our rows that decide whether a history ended right. */
export interface Judge {
  read(purchase: Purchase): Promise<OrderView>;
  /** The chain's own word. */
  holds(purchase: Purchase): Promise<bigint>;
  /** Lets the chain go on. */
  advance(): Promise<void>;
  readonly database: Database;
  /** A transaction that was not ours may have ended payouts. */
  readonly mayBeVoid: boolean;
}

const END_MS = 300_000;

/** Waits until each payout has ended, and returns what was paid by asset. Each arrived once, or not at all. */
export async function judgePayouts(
  purchases: readonly Purchase[],
  { read, holds, advance, database, mayBeVoid }: Judge,
): Promise<Readonly<Record<string, bigint>>> {
  const ends = mayBeVoid ? ["completed", "in_review"] : ["completed"];
  const open = async (): Promise<readonly string[]> => {
    await advance();
    const views = await Promise.all(purchases.map(read));
    // The books have the fee of a payout once it is final.
    const unfinished = views.filter(
      ({ order, payout }) => !ends.includes(order.status) || payout?.awaitsFinality,
    );
    // A job that failed often waits for up to a minute, which proves nothing.
    for (const { order } of unfinished) await database.transaction((tx) => hurryJobs(tx, order.id));
    return unfinished.map(
      ({ order, payout }) => `${order.id}: ${order.status} ${order.statusReason} ${payout?.state}`,
    );
  };
  await expect.poll(open, { timeout: END_MS, interval: 300 }).toEqual([]);
  const paid: Record<string, bigint> = {};
  for (const purchase of purchases) {
    const { order, payout } = await read(purchase);
    const owed = order.status === "completed" ? (payout?.units ?? -1n) : 0n;
    expect(await holds(purchase), `${purchase.asset} at ${purchase.to}`).toBe(owed);
    paid[purchase.asset] = (paid[purchase.asset] ?? 0n) + owed;
  }
  return paid;
}

/** The sum of the network fees in the books. */
const FEES = statement(
  "test_network_fees",
  `select coalesce(sum(posting.units), 0)::text as units from ledger_postings posting
   join ledger_accounts account on account.id = posting.account_id
   where account.purpose = 'network_fees' and account.asset_id = $1`,
);

type Units = Readonly<Record<string, bigint>>;

/** A hot wallet at the end of a history, as the blocks and balances of its chain report it. */
export interface WalletJudge {
  readonly networkCode: string;
  /** The ids of its assets in the catalogue. Fees are paid in the first of them. */
  readonly assetIds: Readonly<Record<string, number>>;
  readonly float: Units;
  readonly paid: Units;
  /** The fees of our transactions. */
  readonly fees: bigint;
  /** The units that somebody else took, with fees. */
  readonly foreign: Units;
  /** A transaction that was not ours may have stopped the network. */
  readonly mayBeStopped: boolean;
  holds(asset: string): Promise<bigint>;
  /** Lets the chain go on, for the scanner to follow. */
  advance(): Promise<void>;
  head(): Promise<bigint>;
}

/**
 * Float − payouts − fees is the balance, to the unit, and the books have the same fees. Unless somebody else spent from
 * the wallet, the network is not stopped, and the books have its balance.
 */
export async function judgeWallet(
  { line, world: { database }, stops }: PayingService,
  judge: WalletJudge,
): Promise<void> {
  const { networkCode, assetIds, float, paid, fees, foreign, holds, advance, head } = judge;
  const assets = Object.entries(assetIds);
  const [[feeAsset, feeAssetId] = ["", 0]] = assets;
  for (const [asset] of assets) {
    const gone = (paid[asset] ?? 0n) + (foreign[asset] ?? 0n) + (asset === feeAsset ? fees : 0n);
    expect(await holds(asset), asset).toBe((float[asset] ?? 0n) - gone);
  }
  const booked = async () => {
    const [row] = await database.query<{ units: string }>(FEES, [feeAssetId]);
    return BigInt(row?.units ?? 0);
  };
  await expect.poll(booked).toBe(fees);
  expect((await line.run("ledger", "check")).status).toBe(0);
  if (judge.mayBeStopped) return;
  expect(await stops()).toEqual([]);
  const last = await head();
  const isRead = async (): Promise<boolean> => {
    await advance();
    return ((await findCursor(database, networkCode))?.finalHeight ?? 0n) > last;
  };
  await expect.poll(isRead).toBe(true);
  for (const [asset, assetId] of assets) {
    const key = { merchantId: "all", purpose: "chain_wallet", assetId } as const;
    const held = await holds(asset);
    await expect.poll(() => readBalance(database, key)).toBe(held);
  }
}
