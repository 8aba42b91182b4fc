import type { OpenApiDocument } from "@exchange/contract";
import { type Entry, resolve } from "./document.ts";

/** A command that can be pasted once CLIENT_ID, API_KEY or ACCESS_TOKEN are set in the shell. */
export function curlSample(document: OpenApiDocument, entry: Entry): string {
  const { operation, method } = entry;
  const lines = [`curl ${quote(addressOf(document, entry))}`];
  if (method !== "GET") lines[0] = `curl -X ${method} ${quote(addressOf(document, entry))}`;
  const [security = {}] = operation.security;
  if ("apiKey" in security) {
    lines.push(`-H "x-client-id: $CLIENT_ID"`, `-H "x-api-key: $API_KEY"`);
  }
  if ("publicToken" in security) lines.push(`-H "Authorization: Bearer $ACCESS_TOKEN"`);
  const body = operation.requestBody?.content["application/json"]?.example;
  if (body !== undefined) {
    lines.push(`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

function addressOf(document: OpenApiDocument, { path, operation }: Entry): string {
  const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
  const query = new URLSearchParams();
  let address = (document.servers[0]?.url ?? "") + path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === "path") address = address.replace(`{${name}}`, exampleText(example));
    if (place === "query") query.set(name, exampleText(example));
  }
  return query.size > 0 ? `${address}?${query.toString()}` : address;
}

const exampleText = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
