import { randomUUID } from "node:crypto";
import type { PublicToken } from "@exchange/contract";
import { vi } from "vitest";
import { type Answer, type Call, call } from "../http/api.ts";
import { exchangeHere } from "../service/command-line.ts";
import type { Service } from "../service/service.ts";
import type { Receiver } from "../webhooks/receiver.ts";

export interface Merchant {
  readonly clientId: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface TokenEnvelope {
  readonly code: string;
  readonly data: PublicToken;
  readonly message: string;
}

/** Creates a merchant for a test, as the operator does, and waits until its key works. */
export async function createMerchant(service: Service, origin?: string): Promise<Merchant> {
  const merchant = await registerMerchant(service, origin);
  const path = "/v1/exchange/currencies?operationType=B&countryCode=CA";
  const isAccepted = async () => (await merchantCall(service, merchant, { path })).status === 200;
  await vi.waitUntil(isAccepted, { timeout: 60_000 });
  return merchant;
}

/** Creates a merchant. The running service accepts its key within a second. */
export async function registerMerchant(service: Service, origin?: string): Promise<Merchant> {
  const made = await exchangeHere<{ clientId: string; apiKey: string }>(
    service,
    "merchant",
    "create",
    "--name",
    "Test shop",
    ...(origin === undefined ? [] : ["--origin", origin]),
  );
  return { ...made, headers: { "x-api-key": made.apiKey, "x-client-id": made.clientId } };
}

export const merchantCall = <Body = unknown>(
  service: Service,
  merchant: Merchant,
  request: Call,
): Promise<Answer<Body>> =>
  call<Body>(service, { ...request, headers: { ...merchant.headers, ...request.headers } });

export const createToken = (
  service: Service,
  merchant: Merchant,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer<TokenEnvelope>> =>
  merchantCall(service, merchant, { method: "POST", path: "/v1/public_token/create", body });

export const newSessionId = (): string => `test-${randomUUID()}`;

/** Registers a receiver with the command line and returns its secret. */
export async function addWebhook(
  service: Service,
  merchant: Merchant,
  receiver: Pick<Receiver, "url">,
): Promise<{ readonly id: string; readonly secret: string }> {
  return exchangeHere(
    service,
    "webhook",
    "add",
    "--client",
    merchant.clientId,
    "--url",
    receiver.url,
  );
}
