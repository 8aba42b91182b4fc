/** Facts of a span. They are ids, codes and routes: never personal data, an amount, an address or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Adds facts to the span under way that are learned during its work. */
export type NoteFacts = (attributes: SpanAttributes) => void;

/** The span of one request to the API. */
export interface RequestSpan {
  /** Calls the function so that everything it begins belongs to the span. */
  within(work: () => void): void;
  end(answer: { readonly name: string; readonly status: number } & SpanStart): void;
}

/** Spans of a process that is traced. A span that is not sampled is not recorded and has no children. */
export interface Tracing {
  /** Starts the span of a request. It continues the trace of the caller's `traceparent`, if that is valid. */
  startRequest(traceparent: string | undefined): RequestSpan;
  /** Runs work on an order as a span of the trace in which the order was placed. An untraced order has no span. */
  runForOrder<T>(
    orderId: bigint,
    start: SpanStart,
    work: (note: NoteFacts) => Promise<T>,
  ): Promise<T>;
}
