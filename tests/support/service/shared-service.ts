import { setTimeout as sleep } from "node:timers/promises";
import type { PublicToken } from "@exchange/contract";
import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { createToken, newSessionId, registerMerchant } from "../orders/merchant.ts";
import { type Service, startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
    /** A token that expires while other tests run. */
    shortToken: PublicToken;
  }
}

/** The shortest lifetime of a token, in seconds. */
const SHORTEST_LIFE = 60;
const TRIES_MAX = 600;

/** Starts one service for all acceptance tests that do not stop it. Each test makes its own merchant. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService();
  const { url, shopUrl, dataDir, env } = service;
  const plainEnv = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  project.provide("service", { url, shopUrl, dataDir, env: plainEnv });
  project.provide("shortToken", await makeShortToken(service));
  return () => service.discard();
}

/** Asks again while the service does not accept the new key: Vitest's waits need a running test. */
async function makeShortToken(service: Service): Promise<PublicToken> {
  const merchant = await registerMerchant(service);
  for (let tries = 1; ; tries++) {
    const sessionId = newSessionId();
    const { status, text, body } = await createToken(service, merchant, {
      sessionId,
      expiresIn: SHORTEST_LIFE,
    });
    if (status === 201 && (await readSession(service, body.data)).status === 200) return body.data;
    if (tries === TRIES_MAX) throw new Error(`no token that expires soon: ${text}`);
    await sleep(100);
  }
}

const readSession = (service: Service, { accessToken }: PublicToken): Promise<Response> =>
  fetch(`${service.url}/v1/checkout/session`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
