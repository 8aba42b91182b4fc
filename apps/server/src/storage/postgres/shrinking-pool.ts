import pg from "pg";

const TOO_MANY_CONNECTIONS = "53300";
/** The pool keeps its smaller size for this long, and then tries to grow again. */
const SHRUNK_MS = 30_000;
/** The pause before another attempt while the pool has no connection at all. */
const RETRY_MS = 200;

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

interface ShrinkingPoolOptions extends pg.PoolConfig {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  /** Called when the server refuses one more connection. */
  readonly onRefused: (error: Error) => void;
}

/** Whether the server, or the limit of a role or database, has no room for one more connection. */
export const isFull = (error: unknown): boolean =>
  (error as { readonly code?: string } | null)?.code === TOO_MANY_CONNECTIONS;

/**
 * A pool that shrinks to the connections that it has when the server refuses another one. A caller then waits for one
 * of those, as it does when the pool has reached its own size. A statement is sent only on an open connection, so no
 * statement is repeated.
 */
export class ShrinkingPool extends pg.Pool {
  readonly #sizeMax: number;
  readonly #waitMs: number;
  readonly #onRefused: (error: Error) => void;
  #isShrunk = false;

  constructor({ onRefused, ...options }: ShrinkingPoolOptions) {
    super(options);
    this.#sizeMax = options.max;
    this.#waitMs = options.connectionTimeoutMillis;
    this.#onRefused = onRefused;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback !== undefined) return this.#take(callback, performance.now());
    return new Promise((resolve, reject) => {
      this.#take((error, client) => {
        if (client !== undefined) resolve(client);
        else reject(error);
      }, performance.now());
    });
  }

  #take(callback: Callback, sinceMs: number): void {
    super.connect((error, client, done) => {
      const isLate = performance.now() - sinceMs >= this.#waitMs;
      if (!isFull(error) || isLate || this.ending) return callback(error, client, done);
      this.#shrink(error as Error);
      const again = (): void => this.#take(callback, sinceMs);
      if (this.totalCount > 0) again();
      else setTimeout(again, RETRY_MS);
    });
  }

  #shrink(error: Error): void {
    this.#onRefused(error);
    // A pool of size 0 would never connect again.
    this.options.max = Math.max(1, this.totalCount);
    if (this.#isShrunk) return;
    this.#isShrunk = true;
    const grow = (): void => {
      this.options.max = this.#sizeMax;
      this.#isShrunk = false;
    };
    setTimeout(grow, SHRUNK_MS).unref();
  }
}
