import { type StringOptions, type TSchema, type TString, Type } from "@sinclair/typebox";

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

const ACCEPTED = Symbol("accepted text");

/**
 * The schema with words for what it accepts. The error that refuses another value says them after
 * "must be", since a pattern or a union is not a text for people.
 */
export const accepting = <Schema extends TSchema>(accepted: string, schema: Schema): Schema =>
  Object.assign(schema, { [ACCEPTED]: accepted });

/** A string that matches a pattern, which `accepted` says in words. */
export const matching = (pattern: string, accepted: string, options: StringOptions = {}): TString =>
  accepting(accepted, Type.String({ ...options, pattern }));

/** The words for what the schema accepts; undefined if it has none. */
export const acceptedOf = (schema: object): string | undefined =>
  (schema as { readonly [ACCEPTED]?: string })[ACCEPTED];

/** Whether an empty object is a valid body. A request may then leave its body out. */
export const isBodyOptional = (body: TSchema): boolean =>
  body["type"] === "object" &&
  (body["required"] ?? []).length === 0 &&
  body["minProperties"] === undefined;

/** The meaning of a field, with an example of its value. Without a description its schema has one. */
export interface Meaning {
  readonly description?: string;
  readonly example?: string | number;
}

/** Meanings by the name of a field, or by its owner and its name. */
export type Glossary = Readonly<Record<string, Meaning>>;

/** Returns the meaning of a field of the owner. Undefined for a name that the glossary does not have. */
export const meaningIn = (
  glossary: Glossary,
  owner: string | undefined,
  name: string,
): Meaning | undefined => glossary[`${owner}.${name}`] ?? glossary[name];

export const means = (description: string, example?: string | number): Meaning =>
  example === undefined ? { description } : { description, example };

/** The example of a field that its schema describes. */
export const shows = (example: string | number): Meaning => ({ example });

/** A string that is one of a list. */
export const literals = <const Values extends readonly string[]>(
  values: Values,
  options: { readonly description?: string } = {},
) => Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });

/** The schema, or null. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** The end of the year 9999: later times cannot be stored. */
const UNIX_SECONDS_MAX = 253_402_300_799;

/** A time that the caller sends. */
export const TimeInput = (description?: string) =>
  accepting(
    "a time in Unix seconds, a whole number such as 1795392000",
    Type.Integer({
      minimum: 0,
      maximum: UNIX_SECONDS_MAX,
      ...(description !== undefined && { description: `Unix seconds; ${description}` }),
    }),
  );

/** An id of this service. */
export const Uuid = (description: string) =>
  matching("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "a UUID", { description });

/** The form of a country code. The catalogue decides whether the country exists. */
export const CountryCodeText = matching("^[A-Za-z]{2}$", "a country code of two letters");
