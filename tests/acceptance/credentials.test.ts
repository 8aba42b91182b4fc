import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { type Answer, type Call, call, type ErrorAnswer } from "../support/http/api.ts";
import { createMerchant, type Merchant, newSessionId } from "../support/orders/merchant.ts";
import { exchangeJson } from "../support/service/command-line.ts";

const service = inject("service");
const QUERY = "operationType=B&countryCode=CA";

const ENDPOINTS: readonly Call[] = [
  { method: "POST", path: "/v1/public_token/create", body: { sessionId: newSessionId() } },
  { path: `/v1/payment-methods?${QUERY}` },
  { path: `/v1/exchange/currencies?${QUERY}` },
  { method: "POST", path: "/v1/exchange/quotes", body: { operationType: "B" } },
  { path: "/v1/orders/1" },
];

let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  [merchant, other] = await Promise.all([createMerchant(service), createMerchant(service)]);
});

const withHeaders = (
  request: Call,
  headers: Record<string, string>,
): Promise<Answer<ErrorAnswer>> => call<ErrorAnswer>(service, { ...request, headers });

/** The body without what differs by design. */
const sameBody = (answer: Answer<ErrorAnswer>): string =>
  answer.text.replace(answer.body.requestId, "<request id>");

const lastCharacterChanged = (key: string): string =>
  key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");

describe.each(ENDPOINTS)("$method $path", (endpoint) => {
  test("every kind of bad credentials gets one 401, alike to the byte", async () => {
    const { apiKey, clientId } = merchant;
    const refused: readonly Record<string, string>[] = [
      {},
      { "x-api-key": apiKey },
      { "x-client-id": clientId },
      { "x-api-key": "", "x-client-id": clientId },
      { "x-api-key": "nonsense", "x-client-id": clientId },
      { "x-api-key": lastCharacterChanged(apiKey), "x-client-id": clientId },
      { "x-api-key": apiKey.replace("exk_dev", "exk_prod"), "x-client-id": clientId },
      { "x-api-key": apiKey, "x-client-id": other.clientId },
      { "x-api-key": apiKey, "x-client-id": "client_dev_AAAAAAAAAAAAAAAA" },
      { "x-api-key": `${apiKey}, ${apiKey}`, "x-client-id": clientId },
    ];
    const answers = await Promise.all(refused.map((headers) => withHeaders(endpoint, headers)));
    expect(answers.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(answers[0]?.body).toMatchObject({ code: "UNAUTHORIZED" });
    expect(new Set(answers.map(sameBody)).size).toBe(1);
  });

  test("the merchant's own credentials are accepted", async () => {
    const answer = await withHeaders(endpoint, { ...merchant.headers });
    expect(answer.status).not.toBe(401);
  });
});

test("a revoked key is refused within a second, as any wrong key, and the other one works on", async () => {
  const second = await exchangeJson<{ apiKey: string }>(
    service,
    "key",
    "create",
    "--client",
    merchant.clientId,
  );
  const request = { path: "/v1/orders?limit=1" };
  const headersOf = (apiKey: string): Record<string, string> => ({
    "x-api-key": apiKey,
    "x-client-id": merchant.clientId,
  });
  await vi.waitUntil(
    async () => {
      const { status } = await withHeaders(request, headersOf(second.apiKey));
      return status === 200 ? true : undefined;
    },
    { timeout: 60_000 },
  );
  const keyId = second.apiKey.split("_")[2] ?? "";
  await exchangeJson(service, "key", "revoke", "--client", merchant.clientId, "--key", keyId);
  // Twenty reads of the database with pauses of 50 ms take a second, and longer where the machine or the database stalls.
  const read = () => withHeaders(request, headersOf(second.apiKey));
  let refused = await read();
  for (let reads = 1; reads < 20 && refused.status !== 401; reads++) {
    await sleep(50);
    refused = await read();
  }
  expect(refused.status).toBe(401);
  const unknown = await withHeaders(request, headersOf("nonsense"));
  expect(sameBody(refused)).toBe(sameBody(unknown));
  expect((await withHeaders(request, headersOf(merchant.apiKey))).status).toBe(200);
});
