import { API_ERRORS, WEBHOOK_EVENT_TYPES } from "@exchange/contract";
import { type MerchantCall, partName } from "./document.ts";
import { exactNames } from "./exact-names.ts";
import { capital } from "./names.ts";
import { nameOf, type Schema } from "./schema-types.ts";
import { byResource, mayBeLeftOut, pagesOf } from "./write-calls.ts";
import { lookUp, needsName, reachableFrom } from "./write-types.ts";

const FOLDER = "sdk/python/src/exchange_client/generated";
const HEADER =
  '"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""\n\n';
const FUTURE = "from __future__ import annotations\n\n";

/** Returns the generated modules of the Python library by their path. */
export function writePython(calls: readonly MerchantCall[]): Readonly<Record<string, string>> {
  const { decimals, freeMaps } = exactNames(calls);
  const setOf = (names: readonly string[]): string =>
    `frozenset(\n    {\n${names.map((name) => `        "${name}",\n`).join("")}    }\n)\n`;
  return {
    [`${FOLDER}/__init__.py`]: HEADER.trimEnd().concat("\n"),
    [`${FOLDER}/decimals.py`]: `${HEADER}DECIMALS = ${setOf(decimals)}FREE_MAPS = ${setOf(freeMaps)}`,
    [`${FOLDER}/operations.py`]: `${HEADER}from ..calls import Operation\n\n${calls.map(operation).join("")}`,
    [`${FOLDER}/resources.py`]: HEADER + FUTURE + resources(calls),
    [`${FOLDER}/types.py`]: HEADER + FUTURE + types(calls),
  };
}

const constant = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const snake = (name: string): string => constant(name).toLowerCase();

function operation({ endpoint, query, body, cursor, isUnwrapped }: MerchantCall): string {
  const { operationId, method, path } = endpoint;
  const more = [
    ...(body ? ['input="body"'] : query ? ['input="query"'] : []),
    ...(cursor ? [`cursor="${cursor}"`] : []),
    ...(isUnwrapped ? ["is_unwrapped=True"] : []),
  ];
  const values = [`"${operationId}"`, `"${method}"`, `"${path}"`, ...more].join(", ");
  return `${constant(operationId)} = Operation(${values})\n`;
}

function resources(calls: readonly MerchantCall[]): string {
  const groups = [...byResource(calls)].map(([resource, named]) => ({
    member: snake(resource),
    name: `${capital(resource)}Resource`,
    methods: named.map(({ method, call }) => pythonMethod(snake(method), call)),
  }));
  const classes = groups.map(
    ({ name, methods }) =>
      `class ${name}:\n    def __init__(self, caller: Caller) -> None:\n        self._caller = caller\n\n${methods.join("\n")}\n`,
  );
  const members = groups.map(({ member, name }) => `        self.${member} = ${name}(caller)\n`);
  return [
    "from typing import Iterator, List, Optional, Union\n\n",
    "from ..calls import Caller, CallOptions, Page\n",
    "from . import operations, types\n\n\n",
    `${classes.join("\n")}\n`,
    'class Resources:\n    """Every endpoint a merchant may call."""\n\n',
    `    def __init__(self, caller: Caller) -> None:\n${members.join("")}`,
  ].join("");
}

function pythonMethod(name: string, call: MerchantCall): string {
  const { endpoint, params, query, body, data, cursor } = call;
  const input = body ?? query;
  const suffix = body ? "Request" : "Query";
  const isOptional = input !== undefined && mayBeLeftOut(input);
  const inputName = body ? "request" : "query";
  const inputType = input && qualified(typeNameOf(call, input, suffix));
  const result = data === undefined ? "None" : qualified(typeNameOf(call, data, "Data"));
  const item = /^List\[(.*)\]$/s.exec(result)?.[1] ?? result;
  const parameters = [
    "self",
    ...params.map((param) => `${snake(param.name)}: ${qualified(pythonType(param.schema, []))}`),
    ...(inputType && !isOptional ? [`${inputName}: ${inputType}`] : []),
    ...(inputType && isOptional ? [`${inputName}: Optional[${inputType}] = None`] : []),
    "options: Optional[CallOptions] = None",
  ];
  const values = `[${params.map((param) => snake(param.name)).join(", ")}]`;
  const passed = `operations.${constant(endpoint.operationId)}, ${values}, ${input ? inputName : "None"}, options`;
  const methodOf = (own: string, made: string, answer: string, text: string): string =>
    `    def ${own}(\n        ${parameters.join(",\n        ")},\n    ) -> ${answer}:\n        """${text}\n        """\n        ${answer === "None" ? "" : "return "}self._caller.${made}(${passed})\n`;
  const where = endpoint.sandboxOnly ? "In the sandboxes only. " : "";
  const text = wrap(
    `${endpoint.description}\n\n${where}\`${endpoint.method} ${endpoint.path}\``,
    8,
  );
  if (cursor === undefined) return methodOf(name, "call", result, text.trimStart());
  return [
    methodOf(name, "items", `Iterator[${item}]`, text.trimStart()),
    methodOf(
      pagesOf(name),
      "pages",
      "Iterator[Page]",
      `The pages of \`${name}\`, each with the cursor of the next.`,
    ),
  ].join("\n");
}

const qualified = (type: string): string =>
  type.replace(/(?<!\[|, )"(\w+)"|(?<=List\[)"(\w+)"/g, "types.$1$2");

const typeNameOf = (call: MerchantCall, schema: Schema, suffix: string): string =>
  needsName(schema) ? `"${partName(call.endpoint, suffix)}"` : pythonType(schema, []);

/** Returns the type of a schema. An object inside gets a name of its own, which is added to `inner`. */
function pythonType(schema: Schema, inner: [string, Schema][], name = ""): string {
  if (schema.$ref !== undefined) return `"${nameOf(schema.$ref)}"`;
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`;
  if (schema.anyOf !== undefined) {
    const members = schema.anyOf.map((member) => pythonType(member, inner, name));
    const isFlag = members.length === 2 && members.every((type) => /"(true|false)"/.test(type));
    return isFlag ? "Union[bool, str]" : `Union[${[...new Set(members)].join(", ")}]`;
  }
  switch (schema.type) {
    case "string":
    case "number":
      return "str";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "integer":
      return "int";
    case "array":
      return `List[${pythonType(schema.items ?? {}, inner, `${name}Item`)}]`;
    case "object":
      return objectType(schema, inner, name);
    default:
      throw new Error(`the Python generator does not know this schema: ${JSON.stringify(schema)}`);
  }
}

function objectType(schema: Schema, inner: [string, Schema][], name: string): string {
  const free = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  if (schema.properties === undefined && typeof free === "object") {
    return `Dict[str, ${pythonType(free, inner, `${name}Value`)}]`;
  }
  inner.push([name, schema]);
  return `"${name}"`;
}

const literal = (value: string | number | boolean | null): string =>
  typeof value === "boolean" ? capital(String(value)) : JSON.stringify(value);

function types(calls: readonly MerchantCall[]): string {
  const named = [...reachableFrom(calls)].sort().map((name) => declare(name, lookUp(name)));
  const own = calls.flatMap((call) =>
    (
      [
        ["Query", call.query],
        ["Request", call.body],
        ["Data", call.data],
      ] as const
    ).flatMap(([suffix, schema]) =>
      schema !== undefined && needsName(schema)
        ? [declare(partName(call.endpoint, suffix), schema)]
        : [],
    ),
  );
  const codes = Object.keys(API_ERRORS).map((code) => `    "${code}",\n`);
  const events = WEBHOOK_EVENT_TYPES.map((type) => `    "${type}",\n`);
  return [
    "from typing import Dict, List, Literal, TypedDict, Union\n\n# Amounts and rates are text with the exact digits of the wire.\n",
    ...named,
    ...own,
    `WebhookEventType = Literal[\n${events.join("")}]\n`,
    `#: Every code the service answers an error with.\nErrorCode = Literal[\n${codes.join("")}]\n`,
  ].join("\n\n");
}

function declare(name: string, schema: Schema): string {
  if (schema.type !== "object" || schema.properties === undefined) {
    const inner: [string, Schema][] = [];
    const text = `${name} = ${pythonType(schema, inner, `${name}Value`)}\n`;
    return [...inner.map(([own, each]) => declare(own, each)), text].join("\n");
  }
  const inner: [string, Schema][] = [];
  const required = schema.required ?? [];
  const members = Object.entries(schema.properties).map(([member, each]) => {
    if (!/^[A-Za-z]\w*$/.test(member) || KEYWORDS.has(member)) {
      throw new Error(`${name}.${member} is not a name in Python`);
    }
    const type = pythonType(each, inner, name + capital(member));
    const note = each.description
      ? `${wrap(each.description, 4).replace(/^ {4}/gm, "    #: ")}\n`
      : "";
    return {
      isRequired: required.includes(member),
      text: `${note}    ${member}: ${broken(type)}\n`,
    };
  });
  const textOf = (isRequired: boolean): string =>
    members.flatMap((each) => (each.isRequired === isRequired ? [each.text] : [])).join("");
  const always = textOf(true);
  const sometimes = textOf(false);
  const base = always && sometimes ? `_${name}Always` : name;
  const classes = [
    ...(always ? [`class ${base}(TypedDict):\n${always}`] : []),
    ...(sometimes || !always
      ? [
          `class ${name}(${always ? base : "TypedDict"}, total=False):\n${sometimes || "    pass\n"}`,
        ]
      : []),
  ];
  return [...inner.map(([own, each]) => declare(own, each)), ...classes].join("\n\n");
}

/** Puts the words of a long type on lines of their own. */
const broken = (type: string): string =>
  type.length < 80
    ? type
    : type.replace(/Literal\[("\w+"(?:, "\w+")+)\]/g, (_, words: string) => {
        const lines = words.split(", ").map((word) => `        ${word},\n`);
        return `Literal[\n${lines.join("")}    ]`;
      });

const KEYWORDS = new Set(["from", "class", "def", "import", "in", "is", "not", "pass", "return"]);

/** Wraps the lines of a text and indents them. */
function wrap(text: string, indent: number): string {
  const space = " ".repeat(indent);
  const pattern = new RegExp(`(?![^\\n]{1,${92 - indent}}$)([^\\n]{1,${92 - indent}}) `, "gm");
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .replace(pattern, "$1\n")
    .split("\n")
    .map((line) => (line === "" ? "" : space + line))
    .join("\n");
}
