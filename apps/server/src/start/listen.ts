import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import { buildHttpServer } from "../http/server.ts";
import { listenError } from "./address.ts";

/** Requests under way get so long to finish; event streams never finish by themselves. */
const CLOSE_GRACE_MS = 2_000;

/** Opens the front door; gives what closes it again. */
export async function listen(
  deps: Deps,
  settings: { readonly config: Config; readonly port: number },
): Promise<() => Promise<void>> {
  const { config, port } = settings;
  const app = buildHttpServer(deps, {
    rateLimits: config.rateLimits,
    version: readVersion(),
    trustedProxies: config.trustedProxies,
  });
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
