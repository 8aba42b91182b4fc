import type { PublicToken } from "@exchange/contract";
import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { createMerchant, createToken, newSessionId } from "../orders/merchant.ts";
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

/** Starts one service for all acceptance tests that do not stop it. Each test makes its own merchant. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService();
  const { url, shopUrl, dataDir, env } = service;
  const plainEnv = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  project.provide("service", { url, shopUrl, dataDir, env: plainEnv });
  project.provide("shortToken", await makeShortToken(service));
  return () => service.discard();
}

async function makeShortToken(service: Service): Promise<PublicToken> {
  const sessionId = newSessionId();
  const merchant = await createMerchant(service);
  const { body } = await createToken(service, merchant, { sessionId, expiresIn: SHORTEST_LIFE });
  if ((await readSession(service, body.data)).status !== 200)
    throw new Error("the token is refused");
  return body.data;
}

const readSession = (service: Service, { accessToken }: PublicToken): Promise<Response> =>
  fetch(`${service.url}/v1/checkout/session`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
