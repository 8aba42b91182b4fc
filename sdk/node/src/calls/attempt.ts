import type { Settings } from "../options.ts";
import type { WireRequest } from "./request.ts";

/** The same as in package.json; a test compares them. */
export const PACKAGE_VERSION = "0.1.0";

/** The result of one attempt: a response, or the reason why there is none. */
export type Attempt =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
    }
  | { readonly kind: "timeout" }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "too_large"; readonly status: number };

/** Twenty times the size of a page of a hundred orders. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

interface Bounds {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const TIMED_OUT = Symbol("timed out");

/** Sends the request once. Rejects only when the caller's signal ends it, with its reason. */
export async function attempt(
  settings: Settings,
  request: WireRequest,
  { timeoutMs, signal }: Bounds,
): Promise<Attempt> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(TIMED_OUT), timeoutMs);
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await send(settings, request, controller.signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (controller.signal.reason === TIMED_OUT) return { kind: "timeout" };
    return { kind: "failed", why: describe(error, settings) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    // Releases the connection if its response was not read to the end.
    controller.abort();
  }
}

async function send(
  settings: Settings,
  { method, target, headers, body }: WireRequest,
  signal: AbortSignal,
): Promise<Attempt> {
  const response = await settings.fetch(settings.baseUrl + target, {
    method,
    headers: {
      ...headers,
      "user-agent": `exchange-node/${PACKAGE_VERSION}`,
      "x-api-key": settings.apiKey,
      "x-client-id": settings.clientId,
    },
    // A redirect would send the credentials to another server.
    redirect: "manual",
    signal,
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  const text = await readText(response);
  if (text === undefined) return { kind: "too_large", status };
  return { kind: "answer", status, headers: response.headers, text };
}

/** Returns the body as text, or undefined if it is larger than any answer of the service. */
async function readText(response: Response): Promise<string | undefined> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const DEPTH_MAX = 5;

/**
 * Returns the innermost reason, such as `connect ECONNREFUSED 127.0.0.1:443`, without credentials.
 */
function describe(error: unknown, { apiKey, clientId }: Settings): string {
  let inner = error;
  for (let depth = 0; depth < DEPTH_MAX && inner instanceof Error && inner.cause; depth++) {
    inner = inner.cause;
  }
  const { code, message } = (inner ?? {}) as { code?: unknown; message?: unknown };
  const words = [message, code].filter((word) => typeof word === "string");
  const why = words.find((word) => word !== "") ?? "no reason given";
  return why.replaceAll(apiKey, "***").replaceAll(clientId, "***");
}
