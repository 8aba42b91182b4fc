/** One attempt of a call, for `onAttempt`. It contains no secret. */
export interface AttemptReport {
  /** The operationId of the endpoint. */
  readonly operation: string;
  readonly method: string;
  /** The path's pattern, such as `/orders/{orderId}`. */
  readonly path: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** The error code; undefined when it succeeded. */
  readonly code: string | undefined;
  readonly durationMs: number;
  /** Milliseconds until the next attempt; undefined when there is none. */
  readonly retryInMs: number | undefined;
}

export interface ExchangeOptions {
  /** Address of the service, such as `https://exchange.example`, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
  /** Timeout of each attempt in milliseconds. Default: 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries after a failed attempt. Default: 2. */
  readonly maxRetries?: number | undefined;
  /**
   * Allows plain HTTP, which sends the API key unencrypted. Loopback addresses need no permission.
   */
  readonly allowPlainHttp?: boolean | undefined;
  /** Called after every attempt, for logs and metrics. An error that it throws rejects the call. */
  readonly onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** Replaces Node's own `fetch`, for a proxy or a test. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Validated options. */
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
/** The largest delay of a Node timer. */
const TIMEOUT_MS_MAX = 2_147_483_647;
const RETRIES_DEFAULT = 2;
const RETRIES_MAX = 10;

/**
 * Validates the options. Throws a TypeError that says what to fix and never repeats a credential.
 */
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

/**
 * Checks that a header can carry it. This also detects a key that was read from a file with its
 * line end.
 */
function readCredential(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`${name} is missing: pass the one from your onboarding.`);
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(
      `${name} contains white space or other characters that no key has: trim it.`,
    );
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
      "baseUrl is plain HTTP, which sends the API key unencrypted: use https, or set allowPlainHttp.",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith("/v1") ? path : `${path}/v1`}`;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
