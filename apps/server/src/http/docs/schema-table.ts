import type { OpenApiDocument } from "@exchange/contract";
import { type Html, html, inline, NOTHING } from "../pages/html.ts";
import { resolve, type Schema } from "./document.ts";

/** Deeper members are left to the OpenAPI document itself. */
const DEPTH_MAX = 4;

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Renders a table of a schema's members. Members of nested objects have their whole path. */
export function schemaTable(document: OpenApiDocument, schema: Schema): Html {
  const rows = listRows(document, schema, { prefix: "", depth: 0 });
  if (rows.length === 0) return NOTHING;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Fields"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${rows.map((row) => rowHtml(document, row))}</tbody></table></div>`;
}

function listRows(
  document: OpenApiDocument,
  schema: Schema,
  at: { readonly prefix: string; readonly depth: number },
): readonly Row[] {
  const { shape, isList } = shapeOf(document, schema);
  if (!shape.properties || at.depth >= DEPTH_MAX) return [];
  const prefix = at.prefix === "" ? "" : `${at.prefix}${isList ? "[]" : ""}.`;
  return Object.entries(shape.properties).flatMap(([name, member]) => {
    const path = prefix + name;
    const row = { name: path, schema: member, isRequired: shape.required?.includes(name) ?? false };
    return [row, ...listRows(document, member, { prefix: path, depth: at.depth + 1 })];
  });
}

/** Returns the object inside references, lists and "or null". */
function shapeOf(document: OpenApiDocument, schema: Schema) {
  let shape = resolve(document, schema);
  let isList = false;
  for (let step = 0; step < DEPTH_MAX; step += 1) {
    const branch = shape.anyOf?.find((one) => one.type !== "null");
    if (shape.items) isList = true;
    const next = shape.items ?? branch;
    if (!next) break;
    shape = resolve(document, next);
  }
  return { shape, isList };
}

function rowHtml(document: OpenApiDocument, row: Row): Html {
  const { description, examples } = row.schema;
  const shape = resolve(document, row.schema);
  // A field that refers to a named schema has a description of its own beside the reference.
  const schema = { ...shape, ...(description && { description }), ...(examples && { examples }) };
  const need = row.isRequired ? NOTHING : html` <span class="optional">optional</span>`;
  return html`<tr><th scope="row"><code>${row.name}</code>${need}</th>
<td>${typeOf(document, schema)}</td><td>${notesOf(schema)}</td></tr>`;
}

/** Describes a schema's type in words: "string or null", "list of object". */
export function typeOf(document: OpenApiDocument, schema: Schema): string {
  const shape = resolve(document, schema);
  if (shape.anyOf) {
    const names = shape.anyOf.map((one) => typeOf(document, one));
    return [...new Set(names)].join(" or ");
  }
  if (shape.items) return `list of ${typeOf(document, shape.items)}`;
  if (shape.type !== undefined) return [shape.type].flat().join(" or ");
  return shape.const === undefined ? "any" : typeof shape.const;
}

export function notesOf(schema: Schema): Html {
  const notes: string[] = [];
  if (schema.description) notes.push(schema.description.replace(/\.$/, ""));
  const choices = choicesOf(schema);
  const [choice] = choices;
  if (choices.length === 1) notes.push(`always \`${choice}\``);
  if (choices.length > 1) {
    notes.push(`one of ${choices.map((one) => `\`${one}\``).join(", ")}`);
  }
  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    notes.push(`from ${schema.minimum} to ${schema.maximum}`);
  }
  if (schema.exclusiveMinimum !== undefined) notes.push(`above ${schema.exclusiveMinimum}`);
  if (schema.maxLength !== undefined) notes.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) notes.push(`at most ${schema.maxItems} items`);
  for (const example of schema.examples ?? []) notes.push(`such as \`${String(example)}\``);
  return inline(notes.join("; "));
}

function choicesOf(schema: Schema): readonly string[] {
  const values = [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.anyOf ?? []).flatMap((one) => (one.const === undefined ? [] : [one.const])),
  ];
  return values.map(String);
}
