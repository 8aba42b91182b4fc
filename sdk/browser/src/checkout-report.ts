import type { CheckoutSnapshot, CloseReason } from "@exchange/contract/frame";
import type { CheckoutEvent, CheckoutResult, ExchangeEventName } from "./exchange-api.ts";
import { type ExchangeError, failureOf } from "./exchange-error.ts";

/** Reports the events of one opening to the page, and its result at the end. */
export interface CheckoutReport {
  noteEvent(name: ExchangeEventName, more?: Pick<CheckoutEvent, "result">): void;
  fail(code: string): void;
  /** `code` is the reason of an `error`. */
  noteFrameEvent(name: ExchangeEventName, snapshot: CheckoutSnapshot, code?: string): void;
  noteEnd(reason: CloseReason): CheckoutResult;
}

export function createReport(emit: (event: CheckoutEvent) => void): CheckoutReport {
  let data: CheckoutSnapshot | null = null;
  let order: CheckoutSnapshot | undefined;
  let sequence = 0;

  const noteEvent = (
    name: ExchangeEventName,
    more?: { readonly error?: ExchangeError | undefined; readonly result?: CheckoutResult },
  ): void =>
    emit({ name, data, timestamp: Date.now(), sequence: ++sequence, ...more } as CheckoutEvent);
  const reportFailure = (code: string): void => {
    noteEvent("error", { error: failureOf(code) });
  };
  /** The payment of a placed order is the outcome, however the checkout closes afterwards. */
  const resultOf = (reason: CloseReason): CheckoutResult => {
    // A customer who left before the card was decided may still pay.
    if (order) {
      const outcome = order.outcome?.replace("unpaid", "pending") as "pending";
      return { outcome, reason, order };
    }
    const error = failureOf(reason);
    return error ? { outcome: "failed", reason, error } : { outcome: "closed", reason };
  };
  return {
    noteEvent,
    fail: reportFailure,
    noteFrameEvent(name, snapshot, code) {
      data = snapshot;
      // A checkout that has stopped, as with a token that expired, no longer names the order it placed.
      if (snapshot.status) order = snapshot;
      if (code) reportFailure(code);
      else noteEvent(name);
    },
    noteEnd(reason) {
      const result = resultOf(reason);
      noteEvent("close", { result });
      return result;
    },
  };
}
