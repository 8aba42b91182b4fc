import { PayoutWaits } from "../domain/ports/chain-gateway.ts";
import { FeeTooHigh, SigningRefused } from "../domain/ports/chain-sender.ts";
import type { Deps } from "../flows/deps.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { BatchedWrites } from "../storage/batched-writes.ts";
import type { RailStates } from "./rail-states.ts";
import { withCalls } from "./with-calls.ts";

/** Counts the orders that this process places and moves, and how long they took. */
export function meterWrites(writes: BatchedWrites, metrics: Metrics): BatchedWrites {
  return {
    ...writes,
    placeNewOrder: async (placing) => {
      const order = await writes.placeNewOrder(placing);
      if (order) metrics.ordersPlaced.inc({ operation: order.operation });
      return order;
    },
    applyStep: async (step) => {
      const applied = await writes.applyStep(step);
      const from = step.order.status;
      if (applied && applied.order.status !== from) {
        const { status: to, operation, createdAt, updatedAt } = applied.order;
        metrics.orderMoves.inc({ from, to, operation });
        metrics.orderSeconds.observe({ status: to }, secondsBetween(createdAt, updatedAt));
      }
      return applied;
    },
    storeSigned: async (intent, signed) => {
      const stored = await writes.storeSigned(intent, signed);
      const { rail, createdAt, updatedAt } = stored;
      metrics.payoutSigningSeconds.observe({ rail }, secondsBetween(createdAt, updatedAt));
      return stored;
    },
  };
}

export const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, (to.getTime() - from.getTime()) / 1_000);

export interface RailMeter {
  readonly name: "card" | "bank" | "chain";
  readonly metrics: Metrics;
  readonly states: RailStates;
}

/**
 * Returns the same rail with every call timed. The calls themselves are not changed. An error means that the rail gave
 * no answer: a refusal is an answer.
 */
export function meterRail<Rail extends object>(
  rail: Rail | undefined,
  { name, metrics, states }: RailMeter,
): Rail | undefined {
  if (rail === undefined) return undefined;
  const count = async (call: string, rail: string, answer: Promise<unknown>): Promise<unknown> => {
    const end = metrics.railSeconds.startTimer({ rail, call });
    try {
      const answered = await answer;
      states.succeeded(rail, call);
      return answered;
    } catch (error) {
      if (isAnswer(error)) states.succeeded(rail, call);
      else {
        states.failed(rail, call);
        metrics.railErrors.inc({ rail, call });
      }
      throw error;
    } finally {
      end();
    }
  };
  return withCalls(rail, (call, values, run) => {
    const answer = run();
    return answer instanceof Promise ? count(call, railOf(name, values), answer) : answer;
  });
}

/** Returns whether the rail works, and said no: the payout waits, the fees are too high, or the signer refused. */
const isAnswer = (error: unknown): boolean =>
  [PayoutWaits, FeeTooHigh, SigningRefused].some((kind) => error instanceof kind);

export type MeteredRails = Pick<Deps, "cardProcessor" | "bank" | "chain">;

/** Meters each rail that is configured. */
export const meterRails = (
  { cardProcessor, bank, chain }: MeteredRails,
  meter: Omit<RailMeter, "name">,
): MeteredRails => ({
  cardProcessor: meterRail(cardProcessor, { ...meter, name: "card" }),
  bank: meterRail(bank, { ...meter, name: "bank" }),
  chain: meterRail(chain, { ...meter, name: "chain" }),
});

/** A call about one network names it, as in `chain:bitcoin`. Stops name rails the same way. */
function railOf(name: string, [first]: readonly unknown[]): string {
  const { networkCode } = (first ?? {}) as { readonly networkCode?: unknown };
  return typeof networkCode === "string" ? `${name}:${networkCode}` : name;
}
