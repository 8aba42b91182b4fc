import type { CheckoutSnapshot, CloseReason } from "@exchange/contract/frame";
import type { CheckoutEvent, CheckoutResult, ExchangeEventName } from "./exchange-api.ts";
import { type ExchangeError, failureOf } from "./exchange-error.ts";

/** Tells the page what happens in one opening, and at the end what came of it. */
export class CheckoutReport {
  readonly #onEvent: (event: CheckoutEvent) => void;
  #snapshot: CheckoutSnapshot | null = null;
  #order: CheckoutSnapshot | undefined;
  #sequence = 0;

  constructor(onEvent: (event: CheckoutEvent) => void) {
    this.#onEvent = onEvent;
  }

  tell(
    name: ExchangeEventName,
    more: { readonly error?: ExchangeError; readonly result?: CheckoutResult } = {},
  ): void {
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#onEvent({ name, data: this.#snapshot, timestamp: Date.now(), sequence, ...more });
  }

  fail(reason: CloseReason): void {
    const error = failureOf(reason);
    this.tell("error", error && { error });
  }

  observe(name: ExchangeEventName, snapshot: CheckoutSnapshot): void {
    this.#snapshot = snapshot;
    if (name === "orderPlaced" || this.#order !== undefined) this.#order = snapshot;
    this.tell(name);
  }

  /** An order that was placed stays the outcome, however the checkout closes after it. */
  finish(reason: CloseReason): CheckoutResult {
    const result = this.#resultOf(reason);
    this.tell("close", { result });
    return result;
  }

  #resultOf(reason: CloseReason): CheckoutResult {
    if (this.#order !== undefined) return { outcome: "placed", reason, order: this.#order };
    const error = failureOf(reason);
    return error ? { outcome: "failed", reason, error } : { outcome: "closed", reason };
  }
}
