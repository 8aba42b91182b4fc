/** One endpoint as the client calls it. The generated table holds one for each. */
export interface Operation {
  /** The endpoint's operationId. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to `/v1`, parameters in braces. */
  readonly path: string;
  /** Where its input goes; absent when it takes none. */
  readonly input?: "query" | "body";
  /** The query member that takes `nextCursor`; absent when it is no list of pages. */
  readonly cursor?: string;
}

/** What one call may set for itself. */
export interface CallOptions {
  /** Ends the call at once, waits between tries included. The call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each try, in place of the client's. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed try is repeated, in place of the client's. */
  readonly maxRetries?: number | undefined;
  /**
   * Your name for what a POST is to do, 1 to 255 printable ASCII characters; a random one unless
   * told. The same key with the same body does it once, for 24 hours. Other methods send none.
   */
  readonly idempotencyKey?: string | undefined;
}

/** One call on its way: the operation, what goes into its path, query or body, and its options. */
export interface CallRequest {
  readonly operation: Operation;
  /** Values of the path's parameters, in the order of the path. */
  readonly params: readonly unknown[];
  readonly input: unknown;
  readonly options: CallOptions;
}

/** The body of a success answer; undefined when it has none. */
export type Call = (request: CallRequest) => Promise<unknown>;
