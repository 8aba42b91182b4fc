import type { TSchema } from "@sinclair/typebox";
import { GLOSSARY } from "./glossary.ts";
import { type Meaning, meaningIn, nameOf } from "./schema.ts";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

export interface SchemaBook {
  /** Returns the schema as the document has it: named parts become references. */
  refer(schema: TSchema): Json;
  /** Every named schema that something refers to, in alphabetical order. */
  definitions(): Readonly<Record<string, Json>>;
}

/**
 * Collects the named schemas of one document, whose glossary has the meaning of each field. Throws when two different
 * schemas have one name.
 */
export function makeSchemaBook(glossary = GLOSSARY): SchemaBook {
  const definitions = new Map<string, Json>();
  const write = (value: unknown, owner?: string): Json => {
    if (typeof value !== "object" || value === null) return value as Json;
    if (Array.isArray(value)) return value.map((item) => write(item, owner));
    const name = nameOf(value);
    const at = name ?? owner;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const written = Object.fromEntries(
      members.map(([key, member]) => [
        key,
        key === "properties" ? writeFields(member, at) : write(member, at),
      ]),
    );
    if (name === undefined) return written;
    define(name, written);
    return { $ref: `#/components/schemas/${name}` };
  };
  const writeFields = (fields: object, owner: string | undefined): Json =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        withMeaning(write(field, name) as Fields, meaningIn(glossary, owner, name)),
      ]),
    );
  const define = (name: string, written: Json): void => {
    const earlier = definitions.get(name) ?? written;
    if (JSON.stringify(earlier) !== JSON.stringify(written)) {
      throw new Error(`Two different schemas are named ${name}. Give one of them another name.`);
    }
    definitions.set(name, written);
  };
  return {
    refer: (schema) => write(schema),
    definitions: () => Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

type Fields = { readonly [key: string]: Json };

/** Adds description and example to a field. A description of its own stays, and so does that of its value or null. */
function withMeaning(field: Fields, meaning: Meaning = {}): Json {
  const { description = descriptionOfValue(field), example } = meaning;
  // A member that takes null alone has one value, as a constant has.
  const hasChoices = "enum" in field || "const" in field || field["type"] === "null";
  return {
    ...(description !== undefined && { description }),
    ...field,
    ...(example !== undefined && !hasChoices && !("examples" in field) && { examples: [example] }),
  };
}

/** Returns the description of the value of a field that may be null. */
const descriptionOfValue = ({ anyOf = [] }: Fields): Json | undefined =>
  (anyOf as readonly Fields[]).map(({ description }) => description).find(Boolean);
