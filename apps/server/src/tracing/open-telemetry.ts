import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { type ExportResult, ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { NoteFacts, RequestSpan, SpanStart } from "../domain/ports/tracing.ts";

export interface TracingOptions {
  /** The whole address of the collector's traces, such as http://collector:4318/v1/traces. */
  readonly url: string;
  /** The share of traces that are recorded, from 0 to 1. It depends on the trace's id alone. */
  readonly ratio: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly warn: (message: string) => void;
}

/** Records spans and sends them to a collector in the background. */
export interface Tracer {
  startRequest(traceparent: string | undefined): RequestSpan;
  /** Runs work as a span below a stored `traceparent`, and without a span below null. */
  runBelow<T>(
    traceparent: string | null,
    start: SpanStart,
    work: (note: NoteFacts) => Promise<T>,
  ): Promise<T>;
  /** Runs a call to the outside as a span of the work under way. A call that returns no promise has no span. */
  runCall(start: SpanStart, call: () => unknown): unknown;
  /** Returns the `traceparent` of the span under way; undefined where none is recorded. */
  current(): string | undefined;
  /** Sends the last spans, within a bounded time. */
  close(): Promise<void>;
}

/** Spans wait for at most this time. */
const SEND_EVERY_MS = 2_000;
/** Spans beyond this number are dropped while the collector is slow or dead. */
const QUEUED_SPANS_MAX = 4_096;
const SEND_TIMEOUT_MS = 3_000;
const CLOSE_WITHIN_MS = 1_500;
const WARN_EVERY_MS = 60_000;
const FAILED_STATUS_MIN = 500;

const REQUEST_CREATED = "undici:request:create";
interface CreatedRequest {
  readonly request: { addHeader(name: string, value: string): void };
}

/** Starts to trace this process. Nothing here loads unless tracing is on. */
export function startTracer(options: TracingOptions): Tracer {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...options.resource }),
    sampler: new TraceIdRatioBasedSampler(options.ratio),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: makeExporter(options),
        scheduledDelayMillis: SEND_EVERY_MS,
        maxQueueSize: QUEUED_SPANS_MAX,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const { start, within, current } = makeSpans(provider);
  // Calls of webhooks, providers and chains all go through undici, so none of them has to know of traces.
  const addTraceParent = (message: unknown): void => {
    const traceparent = current();
    if (traceparent) (message as CreatedRequest).request.addHeader("traceparent", traceparent);
  };
  subscribe(REQUEST_CREATED, addTraceParent);
  return {
    startRequest: (traceparent) => {
      const span = start(SpanKind.SERVER, { name: "request", attributes: {} }, traceparent);
      return {
        within: (work) => within(span, work),
        end: ({ name, status, attributes }) => {
          span.updateName(name).setAttributes({ ...attributes });
          if (status >= FAILED_STATUS_MIN) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    runBelow: (traceparent, facts, work) => {
      if (traceparent === null) return within(undefined, () => work(() => {}));
      const span = start(SpanKind.CONSUMER, facts, traceparent);
      const note: NoteFacts = (attributes) => void span.setAttributes({ ...attributes });
      return endWith(
        span,
        within(span, () => work(note)),
      );
    },
    runCall: (facts, call) => {
      const parent = current();
      if (parent === undefined) return call();
      const span = start(SpanKind.CLIENT, facts, parent);
      const answer = within(span, call);
      // A span that never ends is never sent.
      return answer instanceof Promise ? endWith(span, answer) : answer;
    },
    current,
    close: async () => {
      unsubscribe(REQUEST_CREATED, addTraceParent);
      await Promise.race([provider.shutdown().catch(() => {}), after(CLOSE_WITHIN_MS)]);
    },
  };
}

/** Starts spans, and knows the one under way. No work but what is run within a span belongs to it. */
function makeSpans(provider: TracerProvider) {
  const tracer = provider.getTracer("exchange");
  const spans = new AsyncLocalStorage<Span | undefined>();
  return {
    start: (kind: SpanKind, { name, attributes }: SpanStart, parent?: string): Span => {
      const context = parent === undefined ? undefined : parseTraceParent(parent);
      if (!context) return tracer.startSpan(name, { kind, attributes, root: true }, ROOT_CONTEXT);
      const below = trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true });
      return tracer.startSpan(name, { kind, attributes }, below);
    },
    /** Without a span the work leaves the one under way: work of another order never joins a trace. */
    within: <T>(span: Span | undefined, work: () => T): T =>
      spans.run(span?.isRecording() ? span : undefined, work),
    /** Returns the `traceparent` of the span under way; undefined where none is recorded. */
    current: (): string | undefined => {
      const span = spans.getStore();
      return span && traceParentOf(span);
    },
  };
}

/** Writes the span in the form of W3C Trace Context, version 00. Only a recorded span is passed on. */
function traceParentOf(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

async function endWith<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // The text of an error may hold values of rows or of providers, so only its class is sent.
    const type = error instanceof Error ? error.constructor.name : typeof error;
    span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** A collector that does not answer costs its spans, and one line of the log a minute. */
function makeExporter({ url, warn }: TracingOptions): OTLPTraceExporter {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS });
  const send = exporter.export.bind(exporter);
  let warnedAt = Number.NEGATIVE_INFINITY;
  exporter.export = (spans: ReadableSpan[], done: (result: ExportResult) => void): void =>
    send(spans, (result) => {
      if (result.code === ExportResultCode.FAILED && performance.now() - warnedAt > WARN_EVERY_MS) {
        warnedAt = performance.now();
        warn(`${spans.length} spans were lost: ${result.error?.message ?? "no answer"}`);
      }
      done(result);
    });
  return exporter;
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref());
