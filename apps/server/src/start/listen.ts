import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { startDeadline } from "../deadline.ts";
import { IN_FLIGHT_LIMITS } from "../http/limits/in-flight.ts";
import { buildHttpServer } from "../http/server.ts";
import type { HttpSettings } from "../http/settings.ts";
import { listenError } from "./address.ts";
import type { BuiltDeps } from "./build-deps.ts";
import { readVersion } from "./version.ts";

const CLOSE_GRACE_MS = 2_000;

/**
 * Returns the function that closes a server. Requests in flight have two seconds to finish. Event streams never end
 * by themselves.
 */
export const closerOf =
  (app: FastifyInstance): (() => Promise<void>) =>
  async () => {
    const grace = startDeadline(CLOSE_GRACE_MS, () => app.server.closeAllConnections());
    await app.close().finally(() => grace.stop());
  };

/** Returns the settings of the API's server. */
export function apiSettings(config: Config): HttpSettings {
  const { rateLimits, trustedProxies, requestsMax, accessLog } = config;
  const inFlight = { ...IN_FLIGHT_LIMITS, requestsMax };
  return { rateLimits, trustedProxies, inFlight, accessLog, version: readVersion() };
}

/** Listens on the port and returns the function that closes the server. */
export async function listen(
  { deps, sandbox }: BuiltDeps,
  settings: { readonly config: Config; readonly port: number },
): Promise<() => Promise<void>> {
  const { config, port } = settings;
  const app = buildHttpServer(deps, apiSettings(config), sandbox?.registerRoutes);
  try {
    await app.listen({ port, host: config.host });
  } catch (error) {
    await app.close();
    throw listenError(error as Error, { host: config.host, port, setting: "PORT" });
  }
  return closerOf(app);
}
