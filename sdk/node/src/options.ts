/** One try of a call, as `onAttempt` is told. Nothing in it is secret. */
export interface AttemptReport {
  /** The operationId of the endpoint. */
  readonly operation: string;
  readonly method: string;
  /** The path's pattern, such as `/orders/{orderId}`. */
  readonly path: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** The error code; undefined when it succeeded. */
  readonly code: string | undefined;
  readonly durationMs: number;
  /** How long until the next try; undefined when there is none. */
  readonly retryInMs: number | undefined;
}

export interface ExchangeOptions {
  /** Address of the service, such as `https://exchange.example`, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
  /** Milliseconds for each try, 15,000 unless told. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed try is repeated, 2 unless told; 0 for never. */
  readonly maxRetries?: number | undefined;
  /** Plain HTTP sends the API key in the clear. Loopback addresses need no permission. */
  readonly allowPlainHttp?: boolean | undefined;
  /** Told after every try, for logs and metrics. What it throws rejects the call. */
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** In place of Node's own `fetch`, for a proxy or a test. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options that were checked. */
export interface Settings {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly onAttempt: (report: AttemptReport) => void;
  readonly fetch: typeof globalThis.fetch;
}

const TIMEOUT_MS_DEFAULT = 15_000;
/** What a timer can hold. */
const TIMEOUT_MS_MAX = 2_147_483_647;
const RETRIES_DEFAULT = 2;
const RETRIES_MAX = 10;

/** Checks the options. Throws a TypeError that says what to mend and never repeats a credential. */
export function readOptions(options: ExchangeOptions): Settings {
  return {
    baseUrl: readBaseUrl(options),
    apiKey: readCredential("apiKey", options.apiKey),
    clientId: readCredential("clientId", options.clientId),
    timeoutMs: readTimeoutMs(options.timeoutMs ?? TIMEOUT_MS_DEFAULT),
    maxRetries: readMaxRetries(options.maxRetries ?? RETRIES_DEFAULT),
    onAttempt: options.onAttempt ?? (() => {}),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

export const readTimeoutMs = (value: number): number =>
  readInteger("timeoutMs", value, [1, TIMEOUT_MS_MAX]);

export const readMaxRetries = (value: number): number =>
  readInteger("maxRetries", value, [0, RETRIES_MAX]);

function readInteger(name: string, value: number, [min, max]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}.`);
}

/** A header may hold it, and a key read from a file with its line end is noticed here. */
function readCredential(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`${name} is missing: give the one you got at onboarding.`);
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(`${name} has white space or other characters that no key has: trim it.`);
  }
  return value;
}

function readBaseUrl({ baseUrl, allowPlainHttp }: ExchangeOptions): string {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("baseUrl must be an address such as https://exchange.example");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user, password, query or fragment.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && allowPlainHttp !== true) {
    throw new TypeError(
      "baseUrl is plain HTTP, which sends the API key in the clear: use https, or set allowPlainHttp.",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith("/v1") ? path : `${path}/v1`}`;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
