import type { CallRequest, Operation } from "./operation.ts";

/** What is sent, the same on every try. Credentials are added when it leaves. */
export interface WireRequest {
  readonly method: string;
  /** From `/v1` on, with the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What a POST carries, so that it is done once however often it is sent. */
  readonly idempotencyKey: string | undefined;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Writes down a call. Throws a TypeError for what could not be sent as it was meant. */
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
    // "." and ".." would walk to another endpoint.
    if (text === "" || text === "." || text === "..") {
      throw new TypeError(`${operation.id}: ${name} must be a number or a text that is not empty.`);
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

/** JSON has no NaN and no Infinity and would say null; a bigint it would not say at all. */
function writeBody(operation: Operation, input: unknown): string {
  return JSON.stringify(input, (name, value: unknown) => {
    if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
      throw new TypeError(`${operation.id}: ${name} must be a finite number.`);
    }
    return value;
  });
}
