import { type MerchantCall, resolve } from "./document.ts";
import type { Schema } from "./schema-types.ts";

/** Names of members by which a client of another language reads and writes JSON without floats. */
export interface ExactNames {
  /** Members that are amounts or rates. The clients keep their digits as text. */
  readonly decimals: readonly string[];
  /** Members whose own members the caller names, such as `metadata`. Nothing in them is converted. */
  readonly freeMaps: readonly string[];
  /** Members that are lists. PHP writes an empty one like an empty object. */
  readonly lists: readonly string[];
}

type Kind = "decimal" | "integer" | "freeMap" | "list" | "other";

/** Throws where one name has two kinds, which a client could not tell apart. */
export function exactNames(calls: readonly MerchantCall[]): ExactNames {
  const kinds = new Map<string, Set<Kind>>();
  const seen = new Set<string>();
  const note = (name: string, kind: Kind): void => {
    kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
  };
  const visit = (name: string, schema: Schema): void => {
    const { $ref, anyOf, items, properties, type } = schema;
    if ($ref !== undefined) {
      if (seen.has(`${name} ${$ref}`)) return;
      seen.add(`${name} ${$ref}`);
      return visit(name, resolve({ $ref }));
    }
    for (const member of anyOf ?? []) visit(name, member);
    if (type === "array") note(name, "list");
    if (items !== undefined) visit(`${name}[]`, items);
    if (type === "number") note(name, "decimal");
    if (type === "integer") note(name, "integer");
    if (type === "object" && properties === undefined) note(name, "freeMap");
    for (const [member, inner] of Object.entries(properties ?? {})) visit(member, inner);
  };
  for (const { body, data } of calls) {
    for (const part of [body, data]) if (part !== undefined) visit("", part);
  }
  visit("", { $ref: "#/components/schemas/WebhookPayload" });
  return {
    decimals: namesOf(kinds, "decimal"),
    freeMaps: namesOf(kinds, "freeMap"),
    lists: namesOf(kinds, "list"),
  };
}

function namesOf(kinds: ReadonlyMap<string, ReadonlySet<Kind>>, kind: Kind): readonly string[] {
  const found = [...kinds].filter(([name, own]) => name !== "" && own.has(kind));
  const mixed = found.find(([, own]) => own.size > 1);
  if (mixed) throw new Error(`${mixed[0]} is ${[...mixed[1]].join(" and ")} in the contract`);
  const listed = found.find(([name]) => kind === "decimal" && name.endsWith("[]"));
  if (listed) throw new Error(`${listed[0]} is a list of amounts, which the clients do not read`);
  return found
    .map(([name]) => name)
    .filter((name) => !name.endsWith("[]"))
    .sort();
}
