import type { ErrorCode, QuoteData } from "@exchange/contract";

const TIMEOUT_MS = 15_000;

/** An error answer of the service. This build may not know its `code`. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  readonly message: string;
  readonly details: readonly ProblemDetail[];
  /** A fresh quote, if the one in the request had expired. */
  readonly quote: QuoteData | undefined;
}

export interface ProblemDetail {
  readonly path?: unknown;
  readonly issue?: unknown;
  readonly min?: unknown;
  readonly max?: unknown;
  readonly currencyCode?: unknown;
  readonly boundBy?: unknown;
}

/** No answer from the service: offline, cut off, timed out, or something else answered. */
export interface Unreachable {
  readonly kind: "unreachable";
}
/** The caller stopped waiting. */
export interface Abandoned {
  readonly kind: "abandoned";
}
export type Problem = Refusal | Unreachable | Abandoned;

export type ApiResult<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly problem: Problem };

export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The answer is the result itself, without an envelope around it. */
  readonly unwrapped?: true;
}

export type Caller = <T>(call: Call) => Promise<ApiResult<T>>;

/** Calls the checkout's endpoints with the public token, which lives in this closure only. */
export function createCaller(token: string, send: typeof fetch): Caller {
  return async <T>(call: Call): Promise<ApiResult<T>> => {
    try {
      const signal = firstOf(AbortSignal.timeout(TIMEOUT_MS), call.signal);
      const { address, init } = requestOf(token, call);
      const response = await send(address, { ...init, signal });
      return readApiResult<T>(call, response.status, await response.json());
    } catch {
      const kind = call.signal?.aborted ? "abandoned" : "unreachable";
      return { ok: false, problem: { kind } };
    }
  };
}

/** A signal that aborts with the first of these. `AbortSignal.any` is missing in browsers of 2023, which customers have. */
export function firstOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) {
    if (signal?.aborted) first.abort();
    signal?.addEventListener("abort", () => first.abort());
  }
  return first.signal;
}

/** The request of a call: the token in a header, no cookies, no cache, no referrer. */
export const requestOf = (token: string, { method, path, body }: Call) => ({
  address: `/v1/checkout${path}`,
  init: {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  } satisfies RequestInit,
});

function readApiResult<T>({ unwrapped }: Call, status: number, body: unknown): ApiResult<T> {
  const fields = fieldsOf(body);
  if (status >= 200 && status < 300 && (unwrapped ? "success" : "data") in fields) {
    return { ok: true, data: (unwrapped ? fields : fields["data"]) as T };
  }
  return { ok: false, problem: readProblem(status, body) };
}

/** Reads an error answer. */
export function readProblem(status: number, body: unknown): Refusal {
  const fields = fieldsOf(body);
  const details = Array.isArray(fields["details"]) ? (fields["details"] as ProblemDetail[]) : [];
  return {
    kind: "refused",
    status,
    code: typeof fields["code"] === "string" ? fields["code"] : "INTERNAL_ERROR",
    message: typeof fields["message"] === "string" ? fields["message"] : "",
    // Limits may be in the details or beside the code.
    details: [...details, fields],
    quote: fields["quote"] as QuoteData | undefined,
  };
}

const fieldsOf = (body: unknown): Record<string, unknown> =>
  (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
