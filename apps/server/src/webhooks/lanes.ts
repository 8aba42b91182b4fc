import { IN_FLIGHT_PER_ENDPOINT_MAX } from "../storage/webhooks/claim-statements.ts";
import type { ClaimedDelivery, HeldEndpoint } from "../storage/webhooks/claims.ts";
import type { Lease } from "./lease.ts";

/** The end of a request, as far as it matters to the next requests to the same endpoint. */
export interface Answer {
  readonly durationMs: number;
  readonly isFailure: boolean;
}

export interface LaneWork {
  /** Sends one delivery and calls `onAnswer` when its request is over. Never rejects. */
  readonly send: (
    delivery: ClaimedDelivery,
    lease: Lease,
    onAnswer: (answer: Answer) => void,
  ) => Promise<void>;
  /** Returns deliveries that were never sent to the queue. Never rejects. */
  readonly giveBack: (deliveries: readonly ClaimedDelivery[]) => Promise<void>;
  /** Called when a delivery is no longer held. */
  readonly onRoom: () => void;
}

/** The deliveries held for one endpoint: in flight, waiting for their turn, or being recorded. */
interface Lane {
  readonly merchantId: string;
  readonly waiting: { readonly delivery: ClaimedDelivery; readonly lease: Lease }[];
  readonly held: Set<ClaimedDelivery>;
  underWay: number;
  underWayMax: number;
  /** Moving average of the last answers, in milliseconds. */
  answerMs: number;
  /** Successes since the last failure. */
  goodInARow: number;
  heardAt: number;
}

/** A lane holds at most what it can send within this time, at the pace of the last answers. */
const AHEAD_MS = 250;
const AHEAD_MAX = 64;
/**
 * After this silence of an endpoint, its waiting deliveries return to the queue and its record is cleared.
 */
const SILENT_MS = 1_000;
/** Until an endpoint has this many successes in a row, each result is recorded before the next request. */
const GOOD_IN_A_ROW = 8;

/**
 * Holds a dispatcher's deliveries, in one lane for each endpoint. A healthy endpoint's lane holds more
 * deliveries than may be in flight, so that the next request needs no claim first.
 */
export function makeLanes(work: LaneWork) {
  const lanes = new Map<string, Lane>();

  const release = (lane: Lane, delivery: ClaimedDelivery): void => {
    lane.held.delete(delivery);
    advance(lane);
    if (wantedBy(lane) > 0) work.onRoom();
  };
  const giveBackWaiting = (lane: Lane): void => {
    const waiting = lane.waiting.splice(0).map(({ delivery }) => delivery);
    if (waiting.length === 0) return;
    void work.giveBack(waiting).then(() => {
      for (const delivery of waiting) release(lane, delivery);
    });
  };
  const advance = (lane: Lane): void => {
    while (slotsUsed(lane) < lane.underWayMax) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      lane.underWay++;
      const onAnswer = (answer: Answer): void => {
        lane.underWay--;
        noteAnswer(lane, answer);
        if (answer.isFailure) giveBackWaiting(lane);
        advance(lane);
      };
      const { delivery } = next;
      void work.send(delivery, next.lease, onAnswer).then(() => release(lane, delivery));
    }
  };

  return {
    add(claimed: readonly ClaimedDelivery[], lease: Lease): void {
      const touched = new Set<Lane>();
      for (const delivery of claimed) {
        const lane = lanes.get(delivery.endpointId) ?? makeLane(delivery);
        lanes.set(delivery.endpointId, lane);
        lane.held.add(delivery);
        lane.waiting.push({ delivery, lease });
        lane.underWayMax = IN_FLIGHT_PER_ENDPOINT_MAX - delivery.heldByOthers;
        touched.add(lane);
      }
      for (const lane of touched) advance(lane);
    },
    // Silent lanes first return their waiting deliveries. An empty lane keeps its record until then.
    held(): HeldEndpoint[] {
      const silentSince = performance.now() - SILENT_MS;
      for (const [endpointId, lane] of lanes) {
        if (lane.heardAt >= silentSince) continue;
        if (lane.held.size === 0) lanes.delete(endpointId);
        lane.goodInARow = 0;
        giveBackWaiting(lane);
      }
      return [...lanes].map(([endpointId, lane]) => describe(endpointId, lane));
    },
    giveBackAll: (): void => {
      for (const lane of lanes.values()) giveBackWaiting(lane);
    },
  };
}

const makeLane = ({ merchantId }: ClaimedDelivery): Lane => ({
  merchantId,
  waiting: [],
  held: new Set(),
  underWay: 0,
  underWayMax: 0,
  answerMs: 0,
  goodInARow: 0,
  heardAt: performance.now(),
});

function noteAnswer(lane: Lane, { durationMs, isFailure }: Answer): void {
  lane.heardAt = performance.now();
  lane.answerMs += (durationMs - lane.answerMs) / (lane.goodInARow === 0 ? 1 : 8);
  lane.goodInARow = isFailure ? 0 : lane.goodInARow + 1;
}

const isProven = (lane: Lane): boolean => lane.goodInARow >= GOOD_IN_A_ROW;

const slotsUsed = (lane: Lane): number =>
  isProven(lane) ? lane.underWay : lane.held.size - lane.waiting.length;

/** Returns 0 until half of the lane is used up: a smaller claim would cost more than it brings. */
function wantedBy(lane: Lane): number {
  const { answerMs, underWayMax, held } = lane;
  const ahead = isProven(lane) ? Math.floor((underWayMax * AHEAD_MS) / Math.max(1, answerMs)) : 0;
  const heldMax = Math.min(AHEAD_MAX, ahead);
  if (heldMax <= underWayMax) return Math.max(0, underWayMax - held.size);
  return held.size <= heldMax / 2 ? heldMax - held.size : 0;
}

function describe(endpointId: string, lane: Lane): HeldEndpoint {
  const wanted = wantedBy(lane);
  return {
    merchantId: lane.merchantId,
    endpointId,
    held: wanted > 0 ? [...lane.held] : [],
    wanted,
  };
}
