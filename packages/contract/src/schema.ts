import { type TSchema, Type } from "@sinclair/typebox";

/** A string that is one of a list. */
export const literals = <const Values extends readonly string[]>(
  values: Values,
  options: { readonly description?: string } = {},
) => Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });

/** The schema, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** What every id that is a UUID looks like. */
export const UUID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
