import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { buildHttpServer } from "../http/server.ts";
import { listenError } from "./address.ts";
import type { BuiltDeps } from "./build-deps.ts";

/** The time for requests in flight to finish. Event streams never end by themselves. */
const CLOSE_GRACE_MS = 2_000;

/** Listens on the port and returns the function that closes the server. */
export async function listen(
  { deps, sandbox }: BuiltDeps,
  settings: { readonly config: Config; readonly port: number },
): Promise<() => Promise<void>> {
  const { config, port } = settings;
  const { rateLimits, trustedProxies } = config;
  const http = { rateLimits, trustedProxies, version: readVersion() };
  const app = buildHttpServer(deps, http, sandbox?.registerRoutes);
  try {
    await app.listen({ port, host: config.host });
  } catch (error) {
    await app.close();
    throw listenError(error as Error, { host: config.host, port, setting: "PORT" });
  }
  return async () => {
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
    await app.close().finally(() => clearTimeout(timer));
  };
}

function readVersion(): string {
  const path = new URL("../../package.json", import.meta.url);
  return String(JSON.parse(readFileSync(path, "utf8")).version);
}
