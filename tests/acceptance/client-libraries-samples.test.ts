import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { call } from "../support/http/api.ts";
import {
  isThere,
  makeSampleFolder,
  runProgram,
  SAMPLE_LANGUAGES,
  type SampleLabel,
  withLibrary,
} from "../support/libraries/interpreters.ts";

const service = inject("service");

interface Sample {
  readonly label: string;
  readonly source: string;
}

interface Operation {
  readonly operationId: string;
  readonly "x-codeSamples"?: readonly Sample[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Runs all samples of a language in one process, in their order. */
const RUNNERS: Readonly<Record<SampleLabel, (files: readonly string[]) => string>> = {
  curl: (files) => files.map((file) => `. ${file} 2>&1\n`).join(""),
  Node: (files) => files.map((file) => `await import("${file}");\n`).join(""),
  Python: (files) =>
    `for file in ${JSON.stringify(files)}:\n    with open(file) as text:\n        exec(text.read(), {})\n`,
  PHP: (files) => `<?php ${files.map((file) => `require '${file}';`).join("\n")}`,
};

let folder: string;
let recorder: Server;
let address: string;
let operations: readonly Operation[];
/** The demo's key, which the samples of curl read from its file. */
let apiKey: string;
let requests: object[] = [];

/** Records each request, and answers so that every kind of call ends well. */
function startRecorder(): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://recorder");
      const body = Buffer.concat(chunks).toString();
      const { headers } = request;
      requests.push({
        call: `${request.method} ${pathname}`,
        query: Object.fromEntries(searchParams),
        body: body === "" ? undefined : JSON.parse(body),
        credentials: [headers["x-client-id"], headers["x-api-key"], headers.authorization],
      });
      response.setHeader("content-type", "application/json");
      response.end('{"success":true,"code":"ok","data":[],"nextCursor":null}');
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** The requests that the samples of a language make. */
async function requestsOf(label: SampleLabel): Promise<object[]> {
  const { interpreter, ending } = SAMPLE_LANGUAGES[label];
  requests = [];
  const files = await Promise.all(
    operations.map(async ({ operationId, "x-codeSamples": samples = [] }) => {
      const source = samples.find((sample) => sample.label === label)?.source ?? "";
      const file = path.join(folder, `${operationId}.${ending}`);
      await writeFile(file, withLibrary(source.replaceAll(service.url, address)));
      return file;
    }),
  );
  const file = path.join(folder, `run.${ending}`);
  await writeFile(file, RUNNERS[label](files));
  const env = { API_KEY: apiKey, CLIENT_ID: "client", ACCESS_TOKEN: "token" };
  await runProgram({ interpreter, file, env });
  return requests;
}

describe("the samples of the API reference", () => {
  let expected: object[];

  beforeAll(async () => {
    folder = await makeSampleFolder();
    apiKey = (await readFile(`${service.dataDir}/demo-merchant.key`, "utf8")).trim();
    recorder = await startRecorder();
    address = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
    const { body } = await call<Document>(service, { path: "/v1/openapi.json" });
    operations = Object.values(body.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => operation["x-codeSamples"]);
    expected = await requestsOf("Node");
  });
  afterAll(async () => {
    recorder.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("there is one request for every operation", () => {
    expect(operations.length).toBeGreaterThan(40);
    expect(expected).toHaveLength(operations.length);
  });

  for (const label of ["curl", "Python", "PHP"] as const) {
    test.skipIf(!isThere(SAMPLE_LANGUAGES[label].interpreter))(
      `those in ${label} make the same requests as those in Node`,
      async () => expect(await requestsOf(label)).toEqual(expected),
    );
  }

  test("the Postman collection makes the same requests, and holds no secret", async () => {
    const { body, text } = await call<{
      readonly variable: readonly { readonly key: string; readonly value: string }[];
      readonly item: readonly {
        readonly item: readonly { readonly request: PostmanRequest }[];
      }[];
    }>(service, { path: "/docs/postman.json" });
    expect(text).not.toMatch(/exk_|whsec_/);
    expect(body.variable).toContainEqual({ key: "apiKey", value: "" });
    // The samples name the merchant of the installation while there is only one.
    const clientId = body.variable.find(({ key }) => key === "clientId")?.value || "client";
    const values = { baseUrl: "/v1", clientId, apiKey, accessToken: "token" };
    const fill = (template: string): string =>
      template.replace(/\{\{(\w+)\}\}/g, (_, name: keyof typeof values) => values[name]);
    const made = body.item.flatMap(({ item }) =>
      item.map(({ request }) => {
        const { method, url, header, body: content } = request;
        const parameters = new Map(url.variable.map(({ key, value }) => [key, value]));
        const parts = url.path.map((part) =>
          part.startsWith(":") ? encodeURIComponent(parameters.get(part.slice(1)) ?? "") : part,
        );
        const valueOf = (name: string) => header.find(({ key }) => key.toLowerCase() === name);
        return {
          call: `${method} ${fill(url.host.join(""))}/${parts.join("/")}`,
          query: Object.fromEntries(url.query.map(({ key, value }) => [key, value])),
          body: content && JSON.parse(content.raw),
          credentials: ["x-client-id", "x-api-key", "authorization"].map(
            (name) => valueOf(name) && fill(valueOf(name)?.value ?? ""),
          ),
        };
      }),
    );
    const inOrder = (list: readonly object[]) =>
      list.map((one) => canonical(one)).sort((a, b) => a.localeCompare(b));
    expect(inOrder(made)).toEqual(inOrder(expected));
  });
});

/** JSON whose members are in the order of their names. */
const canonical = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => a.localeCompare(b)))
      : member,
  );

interface PostmanRequest {
  readonly method: string;
  readonly header: readonly { readonly key: string; readonly value: string }[];
  readonly url: {
    readonly host: readonly string[];
    readonly path: readonly string[];
    readonly query: readonly { readonly key: string; readonly value: string }[];
    readonly variable: readonly { readonly key: string; readonly value: string }[];
  };
  readonly body?: { readonly raw: string };
}
