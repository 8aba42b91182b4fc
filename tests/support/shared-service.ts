import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { type Service, startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
  }
}

/** One service for all acceptance tests that do not stop it; each test makes its own merchant. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService();
  const { url, shopUrl, dataDir, env } = service;
  const plainEnv = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  project.provide("service", { url, shopUrl, dataDir, env: plainEnv });
  return () => service.discard();
}
