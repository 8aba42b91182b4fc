import { API_ERRORS } from "@exchange/contract";
import { type MerchantCall, partName } from "./document.ts";
import { exactNames } from "./exact-names.ts";
import { capital } from "./names.ts";
import { nameOf, type Schema } from "./schema-types.ts";
import { byResource, mayBeLeftOut, pagesOf } from "./write-calls.ts";
import { lookUp, needsName, reachableFrom } from "./write-types.ts";

const FOLDER = "sdk/php/src/Generated";
const HEADER = `<?php

// Written by \`npm run generate -w @exchange/node\` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\\Client\\Generated;
`;

/** Returns the generated classes of the PHP library by their path. */
export function writePhp(calls: readonly MerchantCall[]): Readonly<Record<string, string>> {
  const groups = [...byResource(calls)];
  const classes = groups.map(([resource, named]) => {
    const name = `${capital(resource)}Resource`;
    const methods = named.map(({ method, call }) => phpMethod(method, call));
    return [`${FOLDER}/${name}.php`, resourceClass(name, methods)] as const;
  });
  return {
    [`${FOLDER}/Decimals.php`]: decimals(calls),
    ...Object.fromEntries(classes),
    [`${FOLDER}/Resources.php`]: resourcesClass(groups.map(([resource]) => resource)),
    [`${FOLDER}/Types.php`]: typesClass(calls),
  };
}

function decimals(calls: readonly MerchantCall[]): string {
  const names = exactNames(calls);
  const listOf = (words: readonly string[]): string =>
    `[\n${words.map((word) => `        '${word}',\n`).join("")}    ]`;
  return `${HEADER}
/** Names of members by which JSON is read and written without floats. */
final class Decimals
{
    public const NAMES = ${listOf(names.decimals)};
    public const FREE_MAPS = ${listOf(names.freeMaps)};
    public const LISTS = ${listOf(names.lists)};
}
`;
}

const resourceClass = (name: string, methods: readonly string[]): string => {
  const text = methods.join("\n");
  const used = [...new Set([...text.matchAll(/\b[A-Z]\w+(?=[|>,} \n])/g)].map(([word]) => word))];
  const imported = used.filter((word) => TYPE_NAMES.has(word)).sort();
  const notes = imported.map((word) => ` * @phpstan-import-type ${word} from Types\n`).join("");
  return `${HEADER}
use Exchange\\Client\\Caller;
use Exchange\\Client\\CallOptions;
use Exchange\\Client\\Operation;
${text.includes("Page<") ? "use Exchange\\Client\\Page;\n" : ""}${notes && `\n/**\n${notes} */`}
final class ${name}
{
    public function __construct(private readonly Caller $caller)
    {
    }

${text}}
`;
};

function resourcesClass(resources: readonly string[]): string {
  const members = resources.map(
    (name) => `    public readonly ${capital(name)}Resource $${name};\n`,
  );
  const made = resources.map(
    (name) => `        $this->${name} = new ${capital(name)}Resource($caller);\n`,
  );
  return `${HEADER}
use Exchange\\Client\\Caller;

/** Every endpoint a merchant may call. */
abstract class Resources
{
${members.join("")}
    public function __construct(Caller $caller)
    {
${made.join("")}    }
}
`;
}

function phpMethod(name: string, call: MerchantCall): string {
  const { endpoint, params, query, body, data, cursor, isUnwrapped } = call;
  const input = body ?? query;
  const inputName = body ? "$request" : "$query";
  const isOptional = input !== undefined && mayBeLeftOut(input);
  const inputType = input && nameIn(call, input, body ? "Request" : "Query");
  const result = data === undefined ? "void" : nameIn(call, data, "Data");
  const item = /^list<(.*)>$/s.exec(result)?.[1] ?? result;
  const parameters = [
    ...params.map(
      (param) => `${param.schema.type === "integer" ? "int" : "string"} $${param.name}`,
    ),
    ...(input ? [isOptional ? `array ${inputName} = []` : `array ${inputName}`] : []),
    "?CallOptions $options = null",
  ];
  const isVoid = data === undefined;
  const answer = cursor ? "\\Generator" : isVoid ? "void" : "array";
  const options = [
    ...(body ? ["input: 'body'"] : query ? ["input: 'query'"] : []),
    ...(cursor ? [`cursor: '${cursor}'`] : []),
    ...(isUnwrapped ? ["isUnwrapped: true"] : []),
  ];
  const values = [
    `'${endpoint.operationId}'`,
    `'${endpoint.method}'`,
    `'${endpoint.path}'`,
    ...options,
  ];
  const passed = params.map((param) => `$${param.name}`).join(", ");
  const where = endpoint.sandboxOnly ? "In the sandboxes only. " : "";
  const about = [
    ...endpoint.description.replaceAll("*/", "* /").split("\n").flatMap(wrap),
    "",
    `${where}\`${endpoint.method} ${endpoint.path}\``,
  ];
  const methodOf = (own: string, made: string, text: readonly string[], returned: string) => {
    const types = [
      ...(inputType ? [`@param ${inputType} ${inputName}`] : []),
      ...(isVoid ? [] : [`@return ${returned}`]),
    ];
    const comment = [...text, "", ...types].map((line) => `     * ${line}`.trimEnd()).join("\n");
    return `    /**
${comment}
     */
    public function ${own}(${parameters.join(", ")}): ${answer}
    {
        $operation = new Operation(${values.join(", ")});
        ${isVoid ? "" : "return "}$this->caller->${made}($operation, [${passed}], ${input ? inputName : "null"}, $options);
    }
`;
  };
  if (cursor === undefined) return methodOf(name, "call", about, result);
  const aboutPages = [`The pages of \`${name}\`, each with the cursor of the next.`];
  return [
    methodOf(name, "items", about, `\\Generator<int, ${item}>`),
    methodOf(pagesOf(name), "pages", aboutPages, `\\Generator<int, Page<${item}>>`),
  ].join("\n");
}

const TYPE_NAMES = new Set<string>();

function nameIn(call: MerchantCall, schema: Schema, suffix: string): string {
  const name = needsName(schema) ? partName(call.endpoint, suffix) : phpType(schema);
  for (const [word] of name.matchAll(/\b[A-Z]\w+/g)) TYPE_NAMES.add(word);
  return name;
}

function phpType(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join("|");
  if (schema.anyOf !== undefined) {
    const types = [...new Set(schema.anyOf.map(phpType))];
    const isFlag = types.length === 2 && types.includes("'true'") && types.includes("'false'");
    return isFlag ? "bool" : types.join("|");
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "number":
      return "numeric-string";
    case "boolean":
      return "bool";
    case "null":
      return "null";
    case "integer":
      return "int";
    case "array":
      return `list<${phpType(schema.items ?? {})}>`;
    case "object":
      return shapeOf(schema);
    default:
      throw new Error(`the PHP generator does not know this schema: ${JSON.stringify(schema)}`);
  }
}

function shapeOf(schema: Schema): string {
  const free = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  if (schema.properties === undefined && typeof free === "object") {
    return `array<string, ${phpType(free)}>`;
  }
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(
    ([name, each]) => `${name}${required.includes(name) ? "" : "?"}: ${phpType(each)}`,
  );
  return `array{${members.join(", ")}}`;
}

const literal = (value: string | number | boolean | null): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "\\'")}'` : String(value);

function typesClass(calls: readonly MerchantCall[]): string {
  const named = [...reachableFrom(calls)].sort().map((name) => [name, lookUp(name)] as const);
  const own = calls.flatMap((call) =>
    (
      [
        ["Query", call.query],
        ["Request", call.body],
        ["Data", call.data],
      ] as const
    ).flatMap(([suffix, schema]) =>
      schema !== undefined && needsName(schema)
        ? [[partName(call.endpoint, suffix), schema] as const]
        : [],
    ),
  );
  const notes = [...named, ...own].map(
    ([name, schema]) => ` * @phpstan-type ${name} ${phpType(schema)}\n`,
  );
  const codes = Object.keys(API_ERRORS).map((code) => `        '${code}',\n`);
  return `${HEADER}
/**
 * The shapes of requests and answers. Amounts and rates are text with the exact digits of the wire.
 *
${notes.join("")} */
final class Types
{
    /** Every code the service answers an error with. */
    public const ERROR_CODES = [
${codes.join("")}    ];
}
`;
}

const wrap = (line: string): string[] =>
  line.match(/.{1,100}(?: |$)/g)?.map((part) => part.trim()) ?? [line];
