import type { OpenApiDocument } from "@exchange/contract";
import { type CodeSample, type Entry, listEntries, resolve } from "./document.ts";
import { LIBRARY_METHODS } from "./library-methods.ts";
import {
  nodeLibrarySample,
  phpLibrarySample,
  phpText,
  pythonLibrarySample,
  pythonValue,
} from "./library-samples.ts";

/** The merchant of the samples. Its key stays in its file. */
export interface SampleMerchant {
  readonly clientId: string;
  readonly keyFile?: string | undefined;
}

/** The call that every sample makes. Its placeholders are names of environment variables. */
interface SampleCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: unknown;
  /** Path parameters, then the query or the body, as the libraries take them. */
  readonly libraryArguments: readonly unknown[];
}

/** A header with its value in a variable, or with the value as a shell reads it. */
interface Header {
  readonly name: string;
  readonly prefix: string;
  readonly variable: string;
  readonly value?: string | undefined;
}

type Json = OpenApiDocument["paths"][string];

/** Adds `x-codeSamples` to every operation, for the page and for tools that read the document. */
export function addCodeSamples(
  document: OpenApiDocument,
  merchant: SampleMerchant | undefined,
): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const entry of listEntries(document)) {
    if (entry.isWebhook) continue;
    const method = entry.method.toLowerCase();
    const item = document.paths[entry.path] as Readonly<Record<string, Record<string, Json>>>;
    const operation = { ...item[method], "x-codeSamples": codeSamples(document, entry, merchant) };
    paths[entry.path] = { ...paths[entry.path], [method]: operation };
  }
  return { ...document, paths };
}

/**
 * Returns the samples of an operation. They run once API_KEY and CLIENT_ID, or ACCESS_TOKEN, are set. A merchant's
 * client id takes the place of its variable, and curl reads its key from its file. A merchant's call uses the
 * libraries, which have no calls of the checkout.
 */
export function codeSamples(
  document: OpenApiDocument,
  entry: Entry,
  merchant?: SampleMerchant,
): readonly CodeSample[] {
  const call = toCall(document, entry, merchant);
  const name = LIBRARY_METHODS[entry.operation.operationId];
  const library = name !== undefined && {
    name,
    values: call.libraryArguments,
    isPaged: isPaged(document, entry),
    baseUrl: document.servers[0]?.url ?? "",
    clientId: merchant?.clientId,
  };
  const node = library ? nodeLibrarySample(library) : fetchSample(call);
  const python = library ? pythonLibrarySample(library) : pythonSample(call);
  const php = library ? phpLibrarySample(library) : phpSample(call);
  return [
    { lang: "Shell", label: "curl", source: curlSample(call) },
    { lang: "JavaScript", label: "Node", source: node },
    { lang: "Python", label: "Python", source: python },
    { lang: "PHP", label: "PHP", source: php },
  ];
}

/** Returns the samples of a call whose body is the example's with other members. */
export function samplesWithBody(
  document: OpenApiDocument,
  call: {
    readonly operationId: string;
    readonly clientId: string;
    readonly body: Readonly<Record<string, unknown>>;
  },
): readonly CodeSample[] {
  const entry = listEntries(document).find(
    ({ operation }) => operation.operationId === call.operationId,
  );
  const media = entry?.operation.requestBody?.content["application/json"];
  if (!entry || !media) throw new Error(`The document has no body of ${call.operationId}.`);
  const example = { ...(media.example as object), ...call.body };
  const requestBody = { content: { "application/json": { ...media, example } } };
  const operation = { ...entry.operation, requestBody };
  return codeSamples(document, { ...entry, operation }, { clientId: call.clientId });
}

/** Whether the answer is a page of a list, which the libraries follow. */
function isPaged(document: OpenApiDocument, { operation }: Entry): boolean {
  const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
  return schema !== undefined && resolve(document, schema).properties?.["nextCursor"] !== undefined;
}

function toCall(
  document: OpenApiDocument,
  { method, path, operation }: Entry,
  merchant: SampleMerchant | undefined,
): SampleCall {
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
  const { clientId, keyFile } = merchant ?? {};
  const key = keyFile === undefined ? undefined : readKeyExpression(keyFile);
  const input = body ?? (query.size > 0 ? Object.fromEntries(query) : undefined);
  return {
    method,
    url: query.size > 0 ? `${address}?${query.toString()}` : address,
    headers: [
      ...("apiKey" in security
        ? [
            { ...CLIENT_ID, value: clientId },
            { ...API_KEY, value: key },
          ]
        : []),
      ...("publicToken" in security ? [ACCESS_TOKEN] : []),
    ],
    body,
    libraryArguments: input === undefined ? params : [...params, input],
  };
}

const CLIENT_ID: Header = { name: "x-client-id", prefix: "", variable: "CLIENT_ID" };
const API_KEY: Header = { name: "x-api-key", prefix: "", variable: "API_KEY" };
const ACCESS_TOKEN: Header = { name: "Authorization", prefix: "Bearer ", variable: "ACCESS_TOKEN" };

const exampleText = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example);

function curlSample({ method, url, headers, body }: SampleCall): string {
  const lines = [method === "GET" ? `curl ${shell(url)}` : `curl -X ${method} ${shell(url)}`];
  for (const { name, prefix, variable, value } of headers) {
    lines.push(`-H "${name}: ${prefix}${value ?? `$${variable}`}"`);
  }
  if (body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`, `-d ${shell(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the shell expression that reads the API key from its file. */
export const readKeyExpression = (path: string): string =>
  `$(cat ${/^[\w./-]+$/.test(path) ? path : shell(path)})`;

function fetchSample({ method, url, headers, body }: SampleCall): string {
  const lines = headers.map(({ name, variable, prefix }) =>
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
    ({ name, variable, prefix }) =>
      `        "${name}": ${prefix === "" ? "" : `"${prefix}" + `}os.environ["${variable}"],`,
  );
  if (body !== undefined) members.push('        "Content-Type": "application/json",');
  return [
    ...(body === undefined ? [] : ["import json"]),
    ...(headers.length > 0 ? ["import os"] : []),
    "from urllib.request import Request, urlopen",
    "",
    "request = Request(",
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    ...(members.length > 0 ? ["    headers={", ...members, "    },"] : []),
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${indent(pythonValue(body), "    ")}).encode(),`]),
    ")",
    "print(urlopen(request).read().decode())",
  ].join("\n");
}

function phpSample({ method, url, headers, body }: SampleCall): string {
  const members = headers.map(
    ({ name, variable, prefix }) => `        '${name}: ${prefix}' . getenv('${variable}'),`,
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

const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
