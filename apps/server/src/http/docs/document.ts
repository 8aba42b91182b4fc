import type { OpenApiDocument } from "@exchange/contract";

/** The parts of the document that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly examples?: readonly (string | number)[];
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly "x-codeSamples"?: readonly CodeSample[];
}

/** A code sample that makes one call. */
export type CodeSample = {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
};

/** One operation with its address. A webhook has no path in this service. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly isWebhook: boolean;
  readonly operation: Operation;
}

export function listEntries({ paths, webhooks }: OpenApiDocument): readonly Entry[] {
  const entriesOf = (items: Readonly<Record<string, unknown>>) =>
    Object.entries(items).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        isWebhook: items === webhooks,
        operation,
      })),
    );
  return [...entriesOf(paths), ...entriesOf(webhooks)];
}

/** Returns what a reference inside the document points to. */
export function resolve<T extends { readonly $ref?: string }>(
  document: OpenApiDocument,
  value: T,
): T {
  if (value.$ref === undefined) return value;
  const parts = value.$ref.split("/").slice(1);
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
}
