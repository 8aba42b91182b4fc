import type { OpenApiDocument } from "@exchange/contract";
import { type CodeSample, type Entry, listEntries, resolve } from "./document.ts";
import { LIBRARY_METHODS } from "./library-methods.ts";

/** The call that every sample makes. Its placeholders are names of environment variables. */
interface SampleCall {
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, variable: string, prefix: string])[];
  readonly body: unknown;
  /** Path parameters, then the query or the body, as the Node library takes them. */
  readonly libraryArguments: readonly unknown[];
}

type Json = OpenApiDocument["paths"][string];

/** Adds `x-codeSamples` to every operation, for the page and for tools that read the document. */
export function addCodeSamples(document: OpenApiDocument): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const entry of listEntries(document)) {
    if (entry.isWebhook) continue;
    const method = entry.method.toLowerCase();
    const item = document.paths[entry.path] as Readonly<Record<string, Record<string, Json>>>;
    const operation = { ...item[method], "x-codeSamples": codeSamples(document, entry) };
    paths[entry.path] = { ...paths[entry.path], [method]: operation };
  }
  return { ...document, paths };
}

/** Returns the samples of an operation; they run once CLIENT_ID and API_KEY, or ACCESS_TOKEN, are set. */
export function codeSamples(document: OpenApiDocument, entry: Entry): readonly CodeSample[] {
  const call = toCall(document, entry);
  return [
    { lang: "Shell", label: "curl", source: curlSample(call) },
    { lang: "JavaScript", label: "Node", source: nodeSample(call) },
    { lang: "Python", label: "Python", source: pythonSample(call) },
    { lang: "PHP", label: "PHP", source: phpSample(call) },
  ];
}

function toCall(document: OpenApiDocument, { method, path, operation }: Entry): SampleCall {
  const query = new URLSearchParams();
  const params: unknown[] = [];
  let address = (document.servers[0]?.url ?? "") + path;
  for (const one of operation.parameters ?? []) {
    const { name, in: place, example } = resolve(document, one);
    if (example === undefined) continue;
    if (place === "query") query.set(name, exampleText(example));
    if (place !== "path") continue;
    address = address.replace(`{${name}}`, exampleText(example));
    params.push(example);
  }
  const body = operation.requestBody?.content["application/json"]?.example;
  const [security = {}] = operation.security;
  const input = body ?? (query.size > 0 ? Object.fromEntries(query) : undefined);
  return {
    operationId: operation.operationId,
    method,
    url: query.size > 0 ? `${address}?${query.toString()}` : address,
    headers: [
      ...("apiKey" in security ? MERCHANT_HEADERS : []),
      ...("publicToken" in security ? BROWSER_HEADERS : []),
    ],
    body,
    libraryArguments: input === undefined ? params : [...params, input],
  };
}

const MERCHANT_HEADERS = [
  ["x-client-id", "CLIENT_ID", ""],
  ["x-api-key", "API_KEY", ""],
] as const;
const BROWSER_HEADERS = [["Authorization", "ACCESS_TOKEN", "Bearer "]] as const;

const exampleText = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example);

function curlSample({ method, url, headers, body }: SampleCall): string {
  const lines = [method === "GET" ? `curl ${shell(url)}` : `curl -X ${method} ${shell(url)}`];
  for (const [name, variable, prefix] of headers) lines.push(`-H "${name}: ${prefix}$${variable}"`);
  if (body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`, `-d ${shell(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A merchant's call uses the library. The library has no calls of the checkout. */
function nodeSample(call: SampleCall): string {
  const name = LIBRARY_METHODS[call.operationId];
  if (name === undefined) return fetchSample(call);
  const inputs = call.libraryArguments.map((one) => JSON.stringify(one, null, 2)).join(", ");
  return [
    'import { createExchange } from "@exchange/node";',
    "",
    "const exchange = createExchange({",
    `  baseUrl: ${JSON.stringify(call.url.slice(0, call.url.indexOf("/v1") + 3))},`,
    "  clientId: process.env.CLIENT_ID,",
    "  apiKey: process.env.API_KEY,",
    "});",
    `console.log(await exchange.${name}(${inputs}));`,
  ].join("\n");
}

function fetchSample({ method, url, headers, body }: SampleCall): string {
  const lines = headers.map(([name, variable, prefix]) =>
    prefix === ""
      ? `    ${JSON.stringify(name)}: process.env.${variable},`
      : `    ${JSON.stringify(name)}: \`${prefix}\${process.env.${variable}}\`,`,
  );
  if (body !== undefined) lines.push('    "Content-Type": "application/json",');
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(lines.length > 0 ? ["  headers: {", ...lines, "  },"] : []),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), "  ")}),`]),
  ];
  const inputs =
    options.length > 0
      ? `${JSON.stringify(url)}, {\n${options.join("\n")}\n}`
      : JSON.stringify(url);
  return `const response = await fetch(${inputs});\nconsole.log(response.status, await response.text());`;
}

function pythonSample({ method, url, headers, body }: SampleCall): string {
  const members = headers.map(
    ([name, variable, prefix]) =>
      `        "${name}": ${prefix === "" ? "" : `"${prefix}" + `}os.environ["${variable}"],`,
  );
  return [
    ...(headers.length > 0 ? ["import os"] : []),
    "import requests",
    "",
    "response = requests.request(",
    `    "${method}",`,
    `    ${JSON.stringify(url)},`,
    ...(members.length > 0 ? ["    headers={", ...members, "    },"] : []),
    ...(body === undefined ? [] : [`    json=${indent(pythonValue(body), "    ")},`]),
    ")",
    "print(response.status_code, response.text)",
  ].join("\n");
}

function phpSample({ method, url, headers, body }: SampleCall): string {
  const members = headers.map(
    ([name, variable, prefix]) => `        '${name}: ${prefix}' . getenv('${variable}'),`,
  );
  if (body !== undefined) members.push("        'Content-Type: application/json',");
  return [
    "<?php",
    `$request = curl_init(${phpText(url)});`,
    "curl_setopt_array($request, [",
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    "    CURLOPT_RETURNTRANSFER => true,",
    ...(members.length > 0 ? ["    CURLOPT_HTTPHEADER => [", ...members, "    ],"] : []),
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${phpText(JSON.stringify(body))},`]),
    "]);",
    "echo curl_exec($request);",
  ].join("\n");
}

const phpText = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

/** Formats a literal of Python, which differs from JSON in three words. */
function pythonValue(value: unknown, depth = 0): string {
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const items = Array.isArray(value)
    ? value.map((item) => pythonValue(item, depth + 1))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item, depth + 1)}`,
      );
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${outer}${close}`;
}
