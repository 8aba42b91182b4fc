import { type MerchantCall, partName, resolve } from "./document.ts";
import { capital, type MethodName, nameMethods } from "./names.ts";
import { comment, type Schema, typeOf } from "./schema-types.ts";
import { needsName } from "./write-types.ts";

interface NamedCall extends MethodName {
  readonly call: MerchantCall;
}

/** Groups the calls by resource, in the order of the contract. */
export function byResource(calls: readonly MerchantCall[]): ReadonlyMap<string, NamedCall[]> {
  const names = nameMethods(calls.map(({ endpoint }) => endpoint));
  const resources = new Map<string, NamedCall[]>();
  for (const call of calls) {
    const name = names.get(call.endpoint.operationId);
    if (name === undefined) throw new Error(`${call.endpoint.operationId} has no name`);
    const siblings = resources.get(name.resource) ?? [];
    resources.set(name.resource, [...siblings, { ...name, call }]);
  }
  return resources;
}

/** Returns the table of operations that the client runs on. */
export function writeOperations(calls: readonly MerchantCall[]): string {
  const resources = [...byResource(calls)].map(
    ([resource, named]) => `${resource}: {\n${named.map(operationRow).join("")}},\n`,
  );
  return [
    `import type { Operation } from "../calls/operation.ts";\n`,
    `export const OPERATIONS = {\n${resources.join("")}} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;\n`,
  ].join("\n");
}

function operationRow({ method, call }: NamedCall): string {
  const { endpoint, query, body, cursor, isUnwrapped } = call;
  const row = {
    id: endpoint.operationId,
    method: endpoint.method,
    path: endpoint.path,
    ...(body ? { input: "body" } : query ? { input: "query" } : {}),
    ...(cursor ? { cursor } : {}),
    ...(isUnwrapped ? { unwrapped: true } : {}),
  };
  const members = Object.entries(row).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `${method}: { ${members.join(", ")} },\n`;
}

/** Returns the types of the client's methods. */
export function writeResources(calls: readonly MerchantCall[]): string {
  const resources = [...byResource(calls)].map(([resource, named]) => {
    const name = `${capital(resource)}Resource`;
    const methods = named.map(signature).join("\n");
    return { resource, name, text: `export interface ${name} {\n${methods}}\n` };
  });
  const members = resources.map(({ resource, name }) => `readonly ${resource}: ${name};\n`);
  const texts = resources.map(({ text }) => text);
  const used = usedTypes(texts.join("\n"));
  return [
    `import type { CallOptions } from "../calls/operation.ts";`,
    `import type { Paged } from "../pages.ts";`,
    `import type { ${used.join(", ")} } from "./types.ts";\n`,
    ...texts,
    `/** Every endpoint a merchant may call. */`,
    `export interface Resources {\n${members.join("")}}\n`,
  ].join("\n");
}

function signature({ method, call }: NamedCall): string {
  const { endpoint, params, query, body, data, cursor } = call;
  const input = body ?? query;
  const isOptional = input !== undefined && mayBeLeftOut(input);
  const inputName = input && typeName(call, input, body ? "Request" : "Query");
  const parameters = [
    ...params.map(({ name, schema }) => `${name}: ${typeOf(schema)}`),
    ...(input ? [`${body ? "request" : "query"}${isOptional ? "?" : ""}: ${inputName}`] : []),
    "options?: CallOptions",
  ];
  const result = data === undefined ? "void" : typeName(call, data, "Data");
  const item = /^readonly \((.*)\)\[\]$/s.exec(result)?.[1];
  if (cursor !== undefined && item === undefined) {
    throw new Error(`${endpoint.operationId} has pages, but its data is not a list`);
  }
  const answer = cursor === undefined ? `Promise<${result}>` : `Paged<${item}>`;
  return `${comment(describe(call))}${method}(${parameters.join(", ")}): ${answer};\n`;
}

const typeName = (call: MerchantCall, schema: Schema, suffix: string): string =>
  needsName(schema) ? partName(call.endpoint, suffix) : typeOf(schema);

function describe({ endpoint }: MerchantCall): string {
  const where = endpoint.sandboxOnly ? "In the sandboxes only. " : "";
  return `${endpoint.description}\n\n${where}\`${endpoint.method} ${endpoint.path}\``;
}

export const mayBeLeftOut = (input: Schema): boolean => {
  const { type, required = [] } = resolve(input);
  return type === "object" && required.length === 0;
};

/** Names the method of the Python and PHP libraries that returns the pages of a list. */
export function pagesOf(method: string): string {
  if (method !== "list") throw new Error(`${method} has pages, but is not called list`);
  return "pages";
}

const BUILT_IN = new Set(["CallOptions", "Paged", "Promise"]);

/** Finds the type names in signatures: after a colon, a bracket or a parenthesis. */
function usedTypes(text: string): readonly string[] {
  const code = text.replace(/\/\*\*.*?\*\//gs, "");
  const names = [...code.matchAll(/(?<=[:<(|] ?)[A-Z]\w*/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !BUILT_IN.has(name)).sort();
}

/** Returns the documentation's table of methods and their endpoints. */
export function writeTable(calls: readonly MerchantCall[]): string {
  const rows = [...byResource(calls).values()].flat().map(({ resource, method, call }) => {
    const { endpoint, params, query, body, cursor } = call;
    const input = body ? ["request"] : query ? ["query"] : [];
    const args = [...params.map(({ name }) => name), ...input].join(", ");
    const notes = [cursor && "pages", endpoint.sandboxOnly && "sandbox only"].filter(Boolean);
    const where = `${endpoint.method} ${endpoint.path}`;
    return `| \`${resource}.${method}(${args})\` | \`${where}\` | ${notes.join(", ")} |\n`;
  });
  return `| Method | Endpoint | |\n|---|---|---|\n${rows.join("")}`;
}
