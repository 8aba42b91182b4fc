import type { TObject, TSchema } from "@sinclair/typebox";
import type { KeyScope, Scope } from "./scopes.ts";

/**
 * One endpoint of the service. The same object validates requests, types the handlers and becomes
 * part of the OpenAPI document. `path` is relative to `/v1`, with parameters in braces.
 */
export interface Endpoint {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The callers it accepts: a merchant's server, a browser with a public token, or anybody. */
  readonly caller: "merchant" | "browser" | "anybody";
  /** The scope a browser's token needs. */
  readonly scope?: Scope;
  /** The secret of the order's own page may call it too, without a token. */
  readonly onOrderPage?: true;
  /** The scope a merchant's API key needs. A merchant endpoint without one needs `read`. */
  readonly keyScope?: KeyScope;
  /** Prod does not have this endpoint. */
  readonly sandboxOnly?: true;
  /**
   * Its body may hold a card's number. It is served only where card numbers may reach the service, or
   * with `bodyWithoutCard` if there is one.
   */
  readonly takesCard?: true;
  readonly bodyWithoutCard?: TSchema;
  /** It answers with server-sent events; the success schema describes the data of each event. */
  readonly stream?: true;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** A 204 answer has no body; its schema is null. */
  readonly success: { readonly status: 200 | 201 | 204; readonly schema: TSchema };
  /** Every error status it may answer with. */
  readonly errors: readonly number[];
}

/** The error statuses of the endpoints that a browser calls. */
export const BROWSER_ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

/** The endpoints that an installation serves differ by these facts. */
export interface Installation {
  readonly environment: string;
  /** Card numbers may reach the service, as in a sandbox. */
  readonly takesCards: boolean;
}

/** Returns the endpoint as an installation serves it; undefined when it does not. */
export function servedEndpoint<E extends Endpoint>(
  endpoint: E,
  { environment, takesCards }: Installation,
): E | undefined {
  if (endpoint.sandboxOnly && environment === "prod") return undefined;
  if (!endpoint.takesCard || takesCards) return endpoint;
  return endpoint.bodyWithoutCard && { ...endpoint, body: endpoint.bodyWithoutCard };
}

/** Returns the scope that an API key needs for a merchant endpoint. */
export const keyScopeOf = (endpoint: Endpoint): KeyScope => endpoint.keyScope ?? "read";
