import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Config } from "../config.ts";
import { makeReadinessCheck } from "../flows/check-readiness.ts";
import type { Deps } from "../flows/deps.ts";
import { boundConnections } from "../http/limits/connections.ts";
import { listenError } from "./address.ts";
import type { LoopWatch } from "./watch-loops.ts";

/** Probes and scrapes are few and small. A stranger that reaches the port cannot hold more. */
const CONNECTIONS_MAX = 32;
const REQUEST_MS = 5_000;
/** How often Node looks for requests that arrive too slowly. */
const CHECK_MS = 1_000;

interface HealthParts {
  readonly config: Pick<Config, "healthPort" | "host">;
  readonly deps: Deps;
  readonly loops: Pick<LoopWatch, "states">;
  /**
   * Returns whether an API process of this service listens. Absent where this process answers requests itself, or
   * none does.
   */
  readonly isListening?: (() => boolean) | undefined;
  /** Returns the metrics of all processes of this service. */
  readonly scrape: () => Promise<{ readonly type: string; readonly text: string }>;
}

/**
 * Answers probes and Prometheus on a port of its own: `/livez`, `/readyz` and `/metrics`. A worker has no other port.
 * Returns the function that closes it.
 */
export async function listenHealth(parts: HealthParts): Promise<() => Promise<void>> {
  const { config, deps, loops, isListening = () => true, scrape } = parts;
  const checkReadiness = makeReadinessCheck(deps);
  const answerPath = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    if (path === "/livez") {
      const states = loops.states();
      const isOk = !Object.values(states).includes("stuck");
      return answer(response, { isOk, found: { loops: states } });
    }
    if (path === "/readyz") {
      const { isReady, ...found } = await checkReadiness();
      if (isReady && !isListening()) {
        const cause = "No API process listens. The log says why they end.";
        return answer(response, { isOk: false, found: { ...found, cause } });
      }
      return answer(response, { isOk: isReady, found });
    }
    if (path === "/metrics") {
      const { type, text } = await scrape();
      return void response.writeHead(200, { "content-type": type }).end(text);
    }
    response.writeHead(404).end();
  };
  const limits = { requestTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(limits, (request, response) => {
    answerPath(request.url, response).catch((error: unknown) => {
      deps.log.warn({ err: error }, "a probe was not answered");
      response.destroy();
    });
  });
  boundConnections(server, CONNECTIONS_MAX);
  const { healthPort: port, host } = config;
  try {
    await once(server.listen({ port, host }), "listening");
  } catch (error) {
    throw listenError(error as Error, { host, port, setting: "EXCHANGE_HEALTH_PORT" });
  }
  return async () => {
    server.close();
    server.closeAllConnections();
  };
}

function answer(
  response: ServerResponse,
  { isOk, found }: { readonly isOk: boolean; readonly found: object },
): void {
  const body = JSON.stringify({ status: isOk ? "ok" : "failing", ...found });
  const headers = { "content-type": "application/json; charset=utf-8", connection: "close" };
  response.writeHead(isOk ? 200 : 503, headers).end(body);
}
