import { startDeadline } from "../deadline.ts";
import { type ClaimedDelivery, claimDeliveries } from "../storage/webhooks/claims.ts";
import { giveBackDeliveries } from "../storage/webhooks/deliveries.ts";
import { WEBHOOKS_DUE_CHANNEL } from "../storage/webhooks/outbox.ts";
import { type DispatcherDeps, isLate, makeDeliver } from "./deliver.ts";
import { type Gate, makeGate } from "./gate.ts";
import { type LaneWork, makeLanes } from "./lanes.ts";
import { startLease } from "./lease.ts";
import { makePoster, type Poster } from "./poster.ts";
import { makeSlots } from "./slots.ts";

export type { DispatcherDeps } from "./deliver.ts";

export interface DispatcherOptions {
  readonly inFlightMax?: number;
  readonly pollMs?: number;
  readonly leaseMs?: number;
  /** The time that `stop` waits for attempts in flight before it aborts them. */
  readonly stopGraceMs?: number;
  readonly poster?: Poster;
  readonly realNow?: () => Date;
}

/** A running dispatcher. Any number of them may run on one database. */
export interface Dispatcher {
  /** Looks for due deliveries now. It also looks after each hint, and polls. */
  wake(): void;
  /** Claims no more, waits for attempts in flight, then aborts the rest and returns them to the queue. */
  stop(): Promise<void>;
}

const IN_FLIGHT_MAX = 1_024;
const POLL_MS = 1_000;
/** An attempt takes 16 s, or ends with its lease. After a crash, its delivery waits for the rest of the lease. */
const LEASE_MS = 20_000;
const STOP_GRACE_MS = 3_000;
/** Polling finds retries that are due later than this. */
const WAKE_AHEAD_MS_MAX = 60_000;

export function startDispatcher(deps: DispatcherDeps, options: DispatcherOptions = {}): Dispatcher {
  const { inFlightMax = IN_FLIGHT_MAX, leaseMs = LEASE_MS } = options;
  const gate = makeGate(options.pollMs ?? POLL_MS);
  const poster = options.poster ?? makePoster({ policy: deps.webhookTargets });
  const breakOff = new AbortController();
  const deliver = makeDeliver(deps, { ...options, poster, signal: breakOff.signal });
  const slots = makeSlots(inFlightMax);
  const worker = deps.ids.uuid();
  let isStopping = false;

  const lanes = makeLanes(makeLaneWork({ deps, deliver, slots, gate }));
  const claim = async (): Promise<void> => {
    const held = lanes.held();
    const free = slots.free();
    if (free.deliveriesMax === 0) return;
    const lease = startLease(leaseMs);
    const claimed = await claimDeliveries(deps.database, { worker, ...free, leaseMs, held });
    await lookForFaults(deps, claimed);
    if (claimed.length > 0 && isLate(lease)) {
      // Nothing leaves a slot, so the next claim waits for the polling interval. It takes these deliveries again.
      const tookMs = leaseMs - lease.leftMs();
      deps.log.warn({ deliveries: claimed.length, tookMs }, "webhook claim took too long");
      return;
    }
    for (const delivery of claimed) slots.take(delivery);
    lanes.add(claimed, lease);
  };
  const run = async (): Promise<void> => {
    while (!isStopping) {
      deps.beat?.("webhooks");
      await claim().catch((error: unknown) => {
        if (!isStopping) deps.log.warn({ err: error }, "webhook claim failed");
      });
      // A delivery that leaves its slot wakes the loop, and so does a new event.
      await gate.wait();
    }
  };

  const running = run();
  const listening = deps.database.listen(WEBHOOKS_DUE_CHANNEL, () => gate.wake());
  const stop = async (): Promise<void> => {
    isStopping = true;
    gate.wake();
    await running;
    lanes.giveBackAll();
    const graceMs = options.stopGraceMs ?? STOP_GRACE_MS;
    const grace = startDeadline(graceMs, () => breakOff.abort());
    await slots.empty();
    grace.stop();
    gate.close();
    await (await listening)();
    await poster.close();
  };
  let stopped: Promise<void> | undefined;
  return { wake: () => gate.wake(), stop: () => (stopped ??= stop()) };
}

async function lookForFaults(
  { deliveryFaults, log }: DispatcherDeps,
  claimed: readonly ClaimedDelivery[],
): Promise<void> {
  try {
    await deliveryFaults?.look(claimed);
  } catch (error) {
    log.warn({ err: error }, "planted webhook faults unavailable, sending webhooks without them");
  }
}

interface LaneParts {
  readonly deps: DispatcherDeps;
  readonly deliver: ReturnType<typeof makeDeliver>;
  readonly slots: ReturnType<typeof makeSlots>;
  readonly gate: Gate;
}

/** Every delivery leaves its slot at the end, however the attempt ended. */
function makeLaneWork({ deps, deliver, slots, gate }: LaneParts): LaneWork {
  return {
    send: async (delivery, lease, onAnswer) => {
      try {
        const delayMs = await deliver(delivery, lease, onAnswer);
        if (delayMs !== undefined && delayMs <= WAKE_AHEAD_MS_MAX) gate.wakeIn(delayMs);
      } catch (error) {
        deps.log.error({ err: error }, "webhook attempt not recorded");
      }
      slots.leave(delivery);
    },
    giveBack: async (deliveries) => {
      try {
        await giveBackDeliveries(deps.database, deliveries);
      } catch (error) {
        deps.log.warn(
          { err: error },
          "webhooks not returned to the queue, they wait until their lease ends",
        );
      }
      for (const delivery of deliveries) slots.leave(delivery);
    },
    onRoom: () => gate.wake(),
  };
}
