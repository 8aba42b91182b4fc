import type { Service } from "../service/service.ts";
import { ContractWatch, type OpenApiDocument } from "./openapi.ts";

export interface Call {
  readonly method?: string;
  /** From the root: `/v1/exchange/quotes?…`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; the content type is JSON unless the headers say otherwise. */
  readonly rawBody?: string;
}

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface ErrorAnswer {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly details?: readonly { readonly path?: string; readonly issue?: string }[];
}

const watches = new Map<string, Promise<ContractWatch>>();

export function contractOf(service: Service): Promise<ContractWatch> {
  const watch = watches.get(service.url);
  if (watch) return watch;
  const loading = fetch(`${service.url}/v1/openapi.json`).then(
    async (response) => new ContractWatch((await response.json()) as OpenApiDocument),
  );
  watches.set(service.url, loading);
  return loading;
}

/** Calls the service. Every answer must be what its OpenAPI document says, or the call throws. */
export async function call<Body = unknown>(service: Service, request: Call): Promise<Answer<Body>> {
  const watch = await contractOf(service);
  const { method = "GET", path } = request;
  const response = await fetch(service.url + path, requestInit(method, request));
  const text = await response.text();
  const contentType = response.headers.get("content-type") ?? "";
  const body: unknown = contentType.includes("json") ? JSON.parse(text) : text;
  const address = new URL(service.url + path).pathname;
  const faults = watch.faultsOf({
    method,
    path: address,
    status: response.status,
    contentType,
    body,
  });
  if (faults.length > 0) throw new Error(`${faults.join("\n")}\nanswer: ${text}`);
  return { status: response.status, headers: response.headers, text, body: body as Body };
}

function requestInit(method: string, { headers, body, rawBody }: Call): RequestInit {
  const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const contentType = text === undefined ? {} : { "content-type": "application/json" };
  return {
    method,
    redirect: "manual",
    headers: { ...contentType, ...headers },
    ...(text === undefined ? {} : { body: text }),
  };
}
