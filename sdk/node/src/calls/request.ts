import type { CallRequest, Operation } from "./operation.ts";

/** The request, which is the same for every attempt. The credentials are added when it is sent. */
export interface WireRequest {
  readonly method: string;
  /** The path after `/v1`, with the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Key of a POST, so that it runs once however often it is sent. */
  readonly idempotencyKey: string | undefined;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Builds the request of a call. Throws a TypeError for values that cannot be sent unchanged. */
export function writeRequest(request: CallRequest, randomKey: () => string): WireRequest {
  const { operation, input, options } = request;
  const body = operation.input === "body" ? writeBody(operation, input ?? {}) : undefined;
  const idempotencyKey =
    operation.method === "POST" ? (options.idempotencyKey ?? randomKey()) : undefined;
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) {
    throw new TypeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
  }
  return {
    method: operation.method,
    target: writePath(request) + (operation.input === "query" ? writeQuery(input ?? {}) : ""),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    body,
    idempotencyKey,
  };
}

function writePath({ operation, params }: CallRequest): string {
  let at = 0;
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[at++];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    // "." and ".." would address another endpoint.
    if (text === "" || text === "." || text === "..") {
      throw new TypeError(
        `${operation.id}: ${name} must be a number or a text. An address cannot hold an empty one, "." or "..".`,
      );
    }
    return encodeURIComponent(text);
  });
}

type QueryValue = string | number | boolean | object | null | undefined;

function writeQuery(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input as Record<string, QueryValue>)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "object") {
      throw new TypeError(`${name} must be a text, a number or a boolean.`);
    }
    query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** JSON.stringify would turn NaN and Infinity into null, and throws for a bigint. */
function writeBody(operation: Operation, input: unknown): string {
  return JSON.stringify(input, (name, value: unknown) => {
    if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
      throw new TypeError(`${operation.id}: ${name} must be a finite number.`);
    }
    return value;
  });
}
