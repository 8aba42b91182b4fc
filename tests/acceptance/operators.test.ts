import type { PublicToken } from "@exchange/contract";
import { expect, inject, test, vi } from "vitest";
import { call } from "../support/http/api.ts";
import {
  createToken,
  merchantCall,
  newSessionId,
  registerMerchant,
} from "../support/orders/merchant.ts";
import { exchangeHere } from "../support/service/command-line.ts";

const service = inject("service");
const CURRENCIES = { path: "/v1/exchange/currencies?operationType=B&countryCode=CA" };

interface ShownKey {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly lastUsedAt: string | null;
  readonly lastAddress: string | null;
}
interface ShownMerchant {
  readonly disabledAt: string | null;
  readonly keys: readonly ShownKey[];
}

const readSession = (token: PublicToken) =>
  call(service, {
    path: "/v1/checkout/session",
    headers: { authorization: `Bearer ${token.accessToken}` },
  });

test("(i): a merchant's key works at its first request, and its use is recorded", async () => {
  for (let round = 0; round < 5; round += 1) {
    const merchant = await registerMerchant(service);
    expect((await merchantCall(service, merchant, CURRENCIES)).status).toBe(200);
    if (round > 0) continue;
    const shown = () =>
      exchangeHere<ShownMerchant>(service, "merchant", "show", "--client", merchant.clientId);
    const isRecorded = async () => (await shown()).keys[0]?.lastUsedAt !== null;
    await vi.waitUntil(isRecorded, { timeout: 60_000, interval: 500 });
    expect((await shown()).keys[0]?.lastAddress).toMatch(/^(127\.0\.0\.1|::\/64)$/);
  }
});

test("a revoked token is refused at once, and a disabled merchant within a second", async () => {
  const merchant = await registerMerchant(service);
  const sessionId = newSessionId();
  const { data: token } = (await createToken(service, merchant, { sessionId })).body;
  expect((await readSession(token)).status).toBe(200);
  const client = ["--client", merchant.clientId];
  await exchangeHere(service, "session", "revoke", ...client, "--session", sessionId);
  expect((await readSession(token)).status).toBe(401);

  const { data: other } = (await createToken(service, merchant, { sessionId: newSessionId() }))
    .body;
  await exchangeHere(service, "merchant", "disable", ...client, "--reason", "a test");
  const isRefused = async () =>
    (await merchantCall(service, merchant, CURRENCIES)).status === 401 &&
    (await readSession(other)).status === 401;
  await vi.waitUntil(isRefused, { timeout: 60_000, interval: 50 });
  await exchangeHere(service, "merchant", "enable", ...client);
  const works = async () => (await readSession(other)).status === 200;
  await vi.waitUntil(works, { timeout: 60_000, interval: 50 });
  expect((await merchantCall(service, merchant, CURRENCIES)).status).toBe(200);
});
