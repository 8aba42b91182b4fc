import type { Dispatcher } from "undici";
import type { Connection } from "./connections.ts";
import { classifyFault, type FaultClass } from "./faults.ts";

/** The status line alone decides; what follows it is evidence. */
export type PostOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly excerpt: Uint8Array;
    }
  | { readonly kind: "failed"; readonly fault: FaultClass };

/** How long and how much of the answer is read once its status is known. */
export const BODY_WINDOW_MS = 1_000;
const BODY_BYTES_MAX = 16 * 1024;
const EXCERPT_BYTES_MAX = 256;
const NOTHING = Buffer.alloc(0);

export interface PostParts {
  /** What breaks it off from outside. */
  readonly signal: AbortSignal;
  /** By `performance.now()`. */
  readonly endsAt: number;
  readonly connection: Connection;
  readonly onEnd: (post: PostUnderWay, outcome: PostOutcome) => void;
}

/**
 * One request, from its dispatch to the last byte that is read of its answer. It ends once, with one
 * outcome; what is long or slow is cut off together with its connection.
 */
export class PostUnderWay implements Dispatcher.DispatchHandler {
  readonly signal: AbortSignal;
  readonly #connection: Connection;
  readonly #onEnd: PostParts["onEnd"];
  #endsAt: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #retryAfter: string | undefined;
  #excerpt: Buffer = NOTHING;
  #bytesRead = 0;

  constructor({ signal, endsAt, connection, onEnd }: PostParts) {
    this.signal = signal;
    this.#connection = connection;
    this.#endsAt = endsAt;
    this.#onEnd = onEnd;
  }

  /** Asked again and again: whether its time is over by now. */
  breakOffWhenDue(now: number): void {
    if (now >= this.#endsAt) this.breakOff("timeout");
  }

  /** Ends it now. An endpoint whose status has arrived has answered. */
  breakOff(fault: FaultClass): void {
    this.#end(fault);
    this.#controller?.abort(new Error(fault));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until its time was over: nothing is sent any more.
    if (this.#isOver) controller.abort(new Error("over"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers["retry-after"];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
    this.#endsAt = performance.now() + BODY_WINDOW_MS;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = EXCERPT_BYTES_MAX - this.#excerpt.length;
    // A copy: the chunk is a part of something larger.
    if (room > 0) this.#excerpt = Buffer.concat([this.#excerpt, chunk.subarray(0, room)]);
    this.#bytesRead += chunk.length;
    if (this.#bytesRead > BODY_BYTES_MAX) this.breakOff("protocol");
  }

  onResponseEnd(): void {
    this.#connection.giveBack();
    this.#end("unknown");
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#connection.discard();
    this.#end(classifyFault(error));
  }

  /** The fault counts where no status has arrived. */
  #end(fault: FaultClass): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const status = this.#status;
    this.#onEnd(
      this,
      status === undefined
        ? { kind: "failed", fault }
        : { kind: "answered", status, retryAfter: this.#retryAfter, excerpt: this.#excerpt },
    );
  }
}
