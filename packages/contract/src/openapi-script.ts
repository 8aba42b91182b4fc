import type { Json } from "./openapi-schemas.ts";

const parameter = (
  name: string,
  description: string,
  rest: { readonly schema?: Json; readonly required?: boolean; readonly example?: Json } = {},
): Json => ({
  name,
  in: "query",
  required: rest.required ?? false,
  description,
  schema: rest.schema ?? { type: "string" },
  ...(rest.example === undefined ? {} : { example: rest.example }),
});

/** `GET /sdk/exchange.js`, the only endpoint that answers with a script. */
export const SCRIPT_PATH_ITEM: Json = {
  get: {
    operationId: "readScript",
    tags: ["Browser SDK"],
    summary: "Load the browser SDK",
    description:
      "The script with its configuration embedded, for a script tag on your page. Its global is `window.exchange`. A failed answer is not a script: give the tag an `onerror`.",
    security: [],
    parameters: [
      parameter("clientId", "your client id", {
        required: true,
        example: "client_dev_abcdefghijklmnop",
      }),
      parameter("env", "the environment of this service", {
        required: true,
        schema: { type: "string", enum: ["dev", "staging", "prod"] },
        example: "dev",
      }),
      parameter("baseCurrency", "code or reference of the currency to spend", { example: "cad" }),
      parameter("targetCurrency", "code or reference of the currency to receive", {
        example: "btc",
      }),
      parameter("baseAmount", "amount to spend", { schema: { type: "number" }, example: 100 }),
      parameter("targetAmount", "amount to receive", { schema: { type: "number" } }),
      parameter("paymentMethod", "reference of a payment method", { example: "card" }),
      parameter("walletAddress", "address to send to"),
    ],
    responses: {
      "200": {
        description: "The script.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/XRequestId" } },
        content: { "application/javascript": { schema: { type: "string" } } },
      },
      "429": { $ref: "#/components/responses/TooManyRequests" },
      "500": {
        description: "A parameter is missing or not valid, or something went wrong on our side.",
        headers: { "X-Request-Id": { $ref: "#/components/headers/XRequestId" } },
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["message"],
              properties: {
                message: {
                  type: "string",
                  description: "a sentence for the developer",
                  examples: ["env must be dev: this service has no other environment."],
                },
              },
            },
            example: { message: "env must be dev: this service has no other environment." },
          },
        },
      },
    },
  },
};
