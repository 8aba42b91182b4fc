import type { FaultClass } from "./faults.ts";
import type { ResponseListener } from "./response-reader.ts";

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
  /** The whole request, as it is written. */
  readonly text: string;
  /** What breaks it off from outside. */
  readonly signal: AbortSignal;
  /** By `performance.now()`. */
  readonly endsAt: number;
  readonly onEnd: (post: PostUnderWay, outcome: PostOutcome) => void;
}

/**
 * One request, from its beginning to the last byte that is read of its answer. It ends once, with one
 * outcome; what is long or slow is cut off together with its connection.
 */
export class PostUnderWay implements ResponseListener {
  readonly text: string;
  readonly signal: AbortSignal;
  endsAt: number;
  isOver = false;
  /** Ends its connection, once it has one. */
  cut: (() => void) | undefined;
  readonly #onEnd: PostParts["onEnd"];
  #status: number | undefined;
  #retryAfter: string | undefined;
  #excerpt: Buffer = NOTHING;
  #bytesRead = 0;

  constructor({ text, signal, endsAt, onEnd }: PostParts) {
    this.text = text;
    this.signal = signal;
    this.endsAt = endsAt;
    this.#onEnd = onEnd;
  }

  /** Ends it now. An endpoint whose status has arrived has answered. */
  breakOff(fault: FaultClass): void {
    this.end(fault);
    this.cut?.();
  }

  onHead(status: number, retryAfter: string | undefined): void {
    this.#status = status;
    this.#retryAfter = retryAfter;
    this.endsAt = performance.now() + BODY_WINDOW_MS;
  }

  onBody(part: Buffer): void {
    const room = EXCERPT_BYTES_MAX - this.#excerpt.length;
    // A copy: the part is one of something larger.
    if (room > 0) this.#excerpt = Buffer.concat([this.#excerpt, part.subarray(0, room)]);
    this.#bytesRead += part.length;
    if (this.#bytesRead > BODY_BYTES_MAX) this.breakOff("protocol");
  }

  /** The fault counts where no status has arrived. */
  end(fault: FaultClass): void {
    if (this.isOver) return;
    this.isOver = true;
    const status = this.#status;
    this.#onEnd(
      this,
      status === undefined
        ? { kind: "failed", fault }
        : { kind: "answered", status, retryAfter: this.#retryAfter, excerpt: this.#excerpt },
    );
  }
}
