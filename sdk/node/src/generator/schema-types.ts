/** The part of JSON Schema the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly description?: string;
}

/**
 * Returns the TypeScript type of a schema. Throws for an unsupported schema: no silent `unknown`.
 */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join("|");
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf);
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectType(schema);
    default:
      throw new Error(`the generator does not know this schema: ${JSON.stringify(schema)}`);
  }
}

export const nameOf = (ref: string): string => ref.split("/").at(-1) ?? ref;

/** Returns the members of an object type with their descriptions, one a line. */
export function membersOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isRequired = required.includes(name);
      const type = isRequired ? typeOf(schema) : `${typeOf(schema)} | undefined`;
      return `${comment(schema.description)}readonly ${name}${isRequired ? "" : "?"}: ${type};\n`;
    })
    .join("");
}

/** Returns a doc comment on lines of its own, or an empty text. */
export function comment(text: string | undefined): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "* /").split("\n").flatMap(wrap);
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

function objectType(schema: Schema): string {
  const pattern = Object.values(schema.patternProperties ?? {})[0];
  if (schema.properties === undefined && pattern !== undefined) {
    return `Readonly<Record<string, ${typeOf(pattern)}>>`;
  }
  if (schema.properties === undefined && typeof schema.additionalProperties === "object") {
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  }
  return `{\n${membersOf(schema)}}`;
}

function unionOf(members: readonly Schema[]): string {
  const types = members.map(typeOf);
  // A query has "true" as text; callers may pass a boolean.
  const isFlag = types.length === 2 && types.includes('"true"') && types.includes('"false"');
  return isFlag ? `boolean | ${types.join(" | ")}` : types.join(" | ");
}

const COLUMNS = 92;

function wrap(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > COLUMNS) {
    const space = rest.lastIndexOf(" ", COLUMNS);
    if (space <= 0) break;
    lines.push(rest.slice(0, space));
    rest = rest.slice(space + 1);
  }
  return [...lines, rest];
}
