import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { type Cluster, startCluster } from "../support/cluster/cluster.ts";
import { isChosen, progress, ran, replayLine, roundsOf } from "./campaign.ts";
import { buyOn, emptyRecord } from "./failover/customers.ts";
import { FAULTS, type Fault, untilReplaced } from "./failover/faults.ts";
import { findProblems } from "./failover/judge.ts";
import { type Outside, openOutside, openStand, type Stand } from "./failover/stand.ts";
import { describePauses, describeRound, type Pause, pauseOf } from "./failover/summary.ts";

/** Only the campaign runs here: a cluster and a fault take a minute of both cores. */
const IS_RUN = process.env["CAMPAIGN"] === "failover";
const CUSTOMERS = 6;
const LOAD_MS = 5_000;
/** Orders are bought for this long after another primary was found, and again after the fault ended. */
const AFTER_MS = 5_000;

let isGreen = true;
let cluster: Cluster;
let outside: Outside;
beforeAll(async () => {
  cluster = await startCluster();
  outside = await openOutside(cluster.urls.direct);
  progress(`three nodes run under Patroni ${cluster.patroni}`);
});
afterAll(async () => {
  await outside?.close();
  const folder = await cluster?.stop(() => isGreen);
  if (folder !== undefined) progress(`the logs of the cluster are in ${folder}`);
});

/** Lets customers buy during one fault. Then judges all books, and returns a sentence for each disagreement. */
async function playRound(
  stand: Stand,
  fault: Fault,
  round: number,
): Promise<{ readonly pause: Pause; readonly problems: readonly string[] }> {
  await cluster.untilWhole();
  const primary = await cluster.leader();
  if (primary === undefined) throw new Error("no primary");
  const logsBefore = stand.processes.map(({ process }) => process.output().length);
  const record = emptyRecord();
  let isOver = false;
  const customers = Promise.all(
    Array.from({ length: CUSTOMERS }, () => buyOn(stand.shop, record, () => isOver)),
  );
  try {
    await sleep(LOAD_MS);
    const startMs = performance.now();
    await fault.begin(cluster, primary, round);
    const leaderMs = await untilReplaced(cluster, primary, startMs);
    await sleep(AFTER_MS);
    fault.end(cluster, primary);
    await cluster.untilWhole();
    await sleep(AFTER_MS);
    isOver = true;
    await customers;
    const pause = pauseOf(fault.name, record, { startMs, leaderMs });
    progress(describeRound(pause, record));
    const problems = await findProblems({ ...outside, ...stand, record, logsBefore });
    return { pause, problems };
  } finally {
    isOver = true;
  }
}

/** How the service reaches the primary. PgBouncer changes connections after each database transaction. */
const WAYS = [
  {
    way: "",
    rounds: { test: 0, campaign: 5 },
    settings: () => ({ DATABASE_URL: cluster.urls.direct }),
  },
  {
    way: "PgBouncer, ",
    rounds: { test: 0, campaign: 1 },
    settings: () => ({
      DATABASE_URL: cluster.urls.pooled,
      EXCHANGE_DATABASE_DIRECT_URL: cluster.urls.direct,
    }),
  },
] as const;

for (const { way, rounds, settings } of WAYS) {
  const isMissing = way !== "" && process.env["PGBOUNCER_PATH"] === undefined;
  if (isMissing) progress("PGBOUNCER WAS NOT FOUND, SO ITS PART IS NOT TESTED (PGBOUNCER_PATH)");
  describe.runIf(IS_RUN && !isMissing)(`failover by ${way}HAProxy`, () => {
    const pauses: Pause[] = [];
    let stand: Stand;
    beforeAll(async () => {
      stand = await openStand(outside, settings());
    });
    afterAll(async () => {
      for (const line of describePauses(pauses)) progress(`${way}${line}`);
      await stand?.close();
    });
    for (const fault of FAULTS) {
      const name = `${way}${fault.name}`;
      test.runIf(isChosen(name))(`${name}: no acknowledged order is lost`, async () => {
        onTestFailed(() => {
          isGreen = false;
          progress(`${name} failed; ${replayLine("failover", name)}`);
        });
        const found: string[] = [];
        for (let round = 1; round <= roundsOf(rounds); round++) {
          const { pause, problems } = await playRound(stand, fault, round);
          pauses.push(pause);
          found.push(...problems);
          for (const problem of problems) progress(`round ${round}: ${problem}`);
          ran(1, name);
        }
        expect(found, found.join("\n")).toEqual([]);
      });
    }
  });
}
