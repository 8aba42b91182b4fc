/** An endpoint as the client calls it. The generated table has one for each. */
export interface Operation {
  /** The endpoint's operationId. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to `/v1`, parameters in braces. */
  readonly path: string;
  /** Where its input goes; absent if it has no input. */
  readonly input?: "query" | "body";
  /** The query member that takes `nextCursor`; absent if the endpoint has no pages. */
  readonly cursor?: string;
  /** The answer is the result itself, without an envelope around it. */
  readonly unwrapped?: true;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call at once, even between attempts. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each attempt in milliseconds. Overrides the client's. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries after a failed attempt. Overrides the client's. */
  readonly maxRetries?: number | undefined;
  /**
   * Idempotency key of a POST: 1 to 255 printable ASCII characters, random by default. Within 24
   * hours, the same key with the same body runs once. Other methods send no key.
   */
  readonly idempotencyKey?: string | undefined;
}

/** One call: the operation, its path parameters, its input and its options. */
export interface CallRequest {
  readonly operation: Operation;
  /** Values of the path's parameters, in the order of the path. */
  readonly params: readonly unknown[];
  readonly input: unknown;
  readonly options: CallOptions;
}

/** Resolves to the body of a success answer, or undefined if it has none. */
export type Call = (request: CallRequest) => Promise<unknown>;
