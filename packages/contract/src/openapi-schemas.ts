import type { TSchema } from "@sinclair/typebox";
import { nameOf } from "./schema.ts";

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

/** Collects the named schemas of one document. Throws when two different schemas have one name. */
export function makeSchemaBook(): SchemaBook {
  const definitions = new Map<string, Json>();
  const write = (value: unknown): Json => {
    if (typeof value !== "object" || value === null) return value as Json;
    if (Array.isArray(value)) return value.map(write);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const written = Object.fromEntries(members.map(([key, member]) => [key, write(member)]));
    const name = nameOf(value);
    if (name === undefined) return written;
    define(name, written);
    return { $ref: `#/components/schemas/${name}` };
  };
  const define = (name: string, written: Json): void => {
    const earlier = definitions.get(name) ?? written;
    if (JSON.stringify(earlier) !== JSON.stringify(written)) {
      throw new Error(`Two different schemas are named ${name}. Give one of them another name.`);
    }
    definitions.set(name, written);
  };
  return {
    refer: write,
    definitions: () => Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
