import type { OpenApiDocument } from "@exchange/contract";
import { type Entry, listEntries, resolve } from "./document.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/** A Postman collection, format 2.1: a folder for each tag, a request for each operation. */
export interface PostmanCollection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly { readonly name: string; readonly item: readonly PostmanItem[] }[];
}

interface PostmanItem {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly description: string;
    readonly header: readonly NamedValue[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query: readonly NamedValue[];
      readonly variable: readonly NamedValue[];
    };
    readonly body?: {
      readonly mode: "raw";
      readonly raw: string;
      readonly options: { readonly raw: { readonly language: "json" } };
    };
  };
}

interface NamedValue {
  readonly key: string;
  readonly value: string;
}

/** Returns the collection of the document. The credentials are variables, of which no secret has a value. */
export function postmanCollection(
  document: OpenApiDocument,
  clientId: string | undefined,
): PostmanCollection {
  const entries = listEntries(document).filter(({ isWebhook }) => !isWebhook);
  const folders = document.tags.map(({ name }) => ({
    name,
    item: entries
      .filter(({ operation }) => operation.tags.includes(name))
      .map((entry) => toItem(document, entry)),
  }));
  return {
    info: { name: document.info.title, description: document.info.description, schema: SCHEMA },
    variable: [
      { key: "baseUrl", value: document.servers[0]?.url ?? "" },
      { key: "clientId", value: clientId ?? "" },
      { key: "apiKey", value: "" },
      { key: "accessToken", value: "" },
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

function toItem(document: OpenApiDocument, { method, path, operation }: Entry): PostmanItem {
  const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
  const valuesIn = (place: string): readonly NamedValue[] =>
    parameters.flatMap(({ name, in: where, example }) =>
      where === place && example !== undefined
        ? [{ key: name, value: typeof example === "string" ? example : JSON.stringify(example) }]
        : [],
    );
  const query = valuesIn("query");
  const words = query.map(({ key, value }) => `${key}=${encodeURIComponent(value)}`).join("&");
  const address = path.replace(/\{(\w+)\}/g, ":$1");
  const example = operation.requestBody?.content["application/json"]?.example;
  const [security = {}] = operation.security;
  return {
    name: operation.summary,
    request: {
      method,
      description: operation.description,
      header: [
        ...("apiKey" in security
          ? [
              { key: "x-client-id", value: "{{clientId}}" },
              { key: "x-api-key", value: "{{apiKey}}" },
            ]
          : []),
        ...("publicToken" in security
          ? [{ key: "Authorization", value: "Bearer {{accessToken}}" }]
          : []),
        ...(example === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
      ],
      url: {
        raw: `{{baseUrl}}${address}${words && `?${words}`}`,
        host: ["{{baseUrl}}"],
        path: address.split("/").slice(1),
        query,
        variable: valuesIn("path"),
      },
      ...(example !== undefined && {
        body: {
          mode: "raw",
          raw: JSON.stringify(example, null, 2),
          options: { raw: { language: "json" } },
        },
      }),
    },
  };
}
