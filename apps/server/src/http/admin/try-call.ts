import { ENDPOINTS, type OpenApiDocument } from "@exchange/contract";
import { ADMIN_ENDPOINTS, TRIED_CALLS, type TriedCall } from "@exchange/contract/admin";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import { listEntries, type Parameter, resolve, type Schema } from "../docs/document.ts";
import { ok } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** Makes the server of the API. It does not listen: the console calls it within the process. */
export type BuildApi = () => FastifyInstance;

/** Headers of the service as a whole, and of the browser, say nothing about the call. */
const SHOWN_HEADER =
  /^(?:content-type|x-request-id|retry-after|idempotent-replayed|x?-?ratelimit-.*)$/;

/**
 * Sends calls of the merchants' API for the person, who types the API key. They go through the whole API within the
 * process, so the key, its scopes, its networks and the limits are checked as for any caller
 * (docs/decisions/0106-tell-consoles-of-changes.md).
 */
export function registerTryCall(
  {
    app,
    register,
    deps,
  }: {
    readonly app: FastifyInstance;
    readonly register: RegisterAdmin;
    readonly deps: AdminDeps;
  },
  buildApi: BuildApi | undefined,
): void {
  let api: FastifyInstance | undefined;
  app.addHook("onClose", async () => api?.close());
  register(ADMIN_ENDPOINTS.tryCall, async ({ caller, origin, body: call }) => {
    if (buildApi === undefined) {
      throw new Refusal("NOT_FOUND", {
        message:
          "The console sends calls only in `dev` and `staging`. Use the sandbox's console, or curl.",
      });
    }
    api ??= buildApi();
    const { method, path } = ENDPOINTS[call.operationId];
    const reply = await api.inject({
      method,
      url: `/v1${path}${call.query === undefined ? "" : `?${call.query}`}`,
      remoteAddress: origin.address,
      headers: {
        host: new URL(deps.publicUrl).host,
        "x-client-id": ownMerchant(caller),
        "x-api-key": call.apiKey,
        ...(call.body !== undefined && { "content-type": "application/json" }),
      },
      ...(call.body !== undefined && { payload: call.body }),
    });
    const headers = Object.entries(reply.headers)
      .filter(([name]) => SHOWN_HEADER.test(name))
      .map(([name, value]) => ({ name, value: String(value) }));
    return ok({ status: reply.statusCode, headers, body: reply.body });
  });
}

/** Returns the calls with the fields of their forms, from the document of the API. */
export function triedCalls(
  document: OpenApiDocument,
  bodies: Readonly<Record<string, object>>,
): TriedCall[] {
  const entries = listEntries(document);
  return TRIED_CALLS.flatMap((operationId) => {
    const entry = entries.find(({ operation }) => operation.operationId === operationId);
    if (entry === undefined) return [];
    const { method, path, operation } = entry;
    const example = operation.requestBody?.content["application/json"]?.example;
    return {
      operationId,
      method,
      path,
      summary: operation.summary,
      query: (operation.parameters ?? [])
        .map((parameter) => resolve(document, parameter))
        .filter((parameter) => parameter.in === "query")
        .map((parameter) => fieldOf(document, parameter)),
      body:
        example === undefined
          ? null
          : JSON.stringify({ ...(example as object), ...bodies[operationId] }, null, 2),
    };
  });
}

function fieldOf(document: OpenApiDocument, parameter: Parameter): TriedCall["query"][number] {
  const { name, required = false, description = "", example } = parameter;
  return {
    name,
    required,
    description,
    values: valuesOf(resolve(document, parameter.schema)),
    example: typeof example === "string" || typeof example === "number" ? `${example}` : "",
  };
}

const valuesOf = ({ enum: listed, anyOf = [] }: Schema): string[] =>
  (listed ?? anyOf.flatMap((one) => one.const ?? [])).map(String);
