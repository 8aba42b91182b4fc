import { type TSchema, Type } from "@sinclair/typebox";

const NAME = Symbol("schema name");

/**
 * The schema with a name of its own in the OpenAPI document. All others are written where they are
 * used. The name is a symbol, not `$id`: Ajv refuses a schema that holds the same `$id` twice.
 */
export const named = <Schema extends TSchema>(name: string, schema: Schema): Schema => ({
  ...schema,
  [NAME]: name,
});

/** The name of a schema or of a copy of it, as `Type.Optional` makes one. */
export const nameOf = (schema: object): string | undefined =>
  (schema as { readonly [NAME]?: string })[NAME];

/** A string that is one of a list. */
export const literals = <const Values extends readonly string[]>(
  values: Values,
  options: { readonly description?: string } = {},
) => Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });

/** The schema, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** Every id that is a UUID matches it. */
export const UUID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
