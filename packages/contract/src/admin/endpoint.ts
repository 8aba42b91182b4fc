import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { PERSON_PERMISSIONS, type Permission, type RoleKind } from "./roles.ts";
import type { Tag } from "./tags.ts";

/**
 * One endpoint of the console. As with the endpoints of the API, the same object validates requests, types the
 * handlers and becomes part of an OpenAPI document. `path` is relative to `/v1`, with parameters in braces.
 */
export interface AdminEndpoint {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: `/admin/${string}`;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** A person with a session or a service account, or anybody, such as a person who signs in. */
  readonly caller: "person" | "anybody";
  /** The right that the person needs. Absent where everybody acts on their own account. */
  readonly permission?: Permission;
  /** Only people of this kind may call it, whatever their rights. */
  readonly kind?: RoleKind;
  /** The person proved within the last minutes that they are still there: it moves money or opens secrets. */
  readonly stepUp?: true;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The types of the file that it answers with instead of JSON in an envelope. The first is the usual one. */
  readonly download?: readonly ["text/csv", ...string[]];
  /** It answers with server-sent events; the success schema describes the data of each event. */
  readonly stream?: true;
  /** A 204 answer has no body; its schema is null. */
  readonly success: { readonly status: 200 | 201 | 204; readonly schema: TSchema };
  /** Every error status it may answer with. */
  readonly errors: readonly number[];
}

/**
 * Returns whether a service account whose role has the right may call the endpoint. The calls that need a fresh proof,
 * that count as the act of a person, or that are about the caller's own account are for people.
 */
export const isForServiceAccounts = ({ caller, permission, stepUp }: AdminEndpoint): boolean =>
  caller === "person" &&
  permission !== undefined &&
  !stepUp &&
  !PERSON_PERMISSIONS.includes(permission);

/** The error statuses of endpoints that a person calls. */
export const PERSON_ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

/** The error statuses of endpoints that anybody may call. */
export const SIGN_IN_ERRORS = [400, 401, 403, 413, 415, 429, 500, 503] as const;

/** The most rows of a list in one file. A longer list is refused, never cut. */
export const EXPORT_ROWS_MAX = 20_000;

/** The members of an endpoint that answers with a list as a file. */
export const CSV_FILE = {
  download: ["text/csv"],
  success: { status: 200, schema: Type.String() },
} as const;

export const EXPORT_WORDS = `The same rows as the list by the same filters, with every page. More than ${EXPORT_ROWS_MAX} rows are refused: filter them.`;
