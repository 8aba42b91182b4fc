import type { TObject, TSchema } from "@sinclair/typebox";
import type { Scope } from "./scopes.ts";

/**
 * One endpoint of the service. The same object validates requests, types handlers and is printed in
 * the OpenAPI document. `path` is relative to `/v1`, parameters in braces.
 */
export interface Endpoint {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Who may call: a merchant's server, a browser with a public token, or anybody. */
  readonly caller: "merchant" | "browser" | "anybody";
  /** The scope a browser's token needs. */
  readonly scope?: Scope;
  /** There is no such endpoint in prod. */
  readonly sandboxOnly?: true;
  /** Answers with server-sent events; the success schema is the data of each. */
  readonly stream?: true;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** 204 has no body; its schema is then null. */
  readonly success: { readonly status: 200 | 201 | 204; readonly schema: TSchema };
  /** Error statuses it may answer with, besides success. */
  readonly errors: readonly number[];
}
