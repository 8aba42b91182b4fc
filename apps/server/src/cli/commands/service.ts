import { isIPv6 } from "node:net";
import type { Config } from "../../config.ts";
import type { Command } from "../command.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the service in the foreground, as its settings say. SIGTERM stops it.",
  options: {},
  example: "serve",
  run: async () => {
    // Loaded here alone: other commands do not need the service.
    const { runService, startService } = await import("../../main.ts");
    await runService({ startService });
    return { json: null, text: "", written: true };
  },
};

const PROBE_MS = 3_000;

export const health: Command = {
  name: "health",
  summary: "Ask the running service on this machine whether it is ready. Exit status 1 if not.",
  options: {
    live: { description: "Ask whether the process is alive (/livez), not whether it is ready." },
  },
  example: "health",
  run: async (context, input) => {
    const probe = probeAddress(context.config(), input.hasFlag("live") ? "livez" : "readyz");
    const { ok, found } = await ask(probe);
    const verdict = ok ? "ok" : "failing";
    return { json: { ok, probe, found }, text: `${verdict}: ${probe} ${found}`, ok };
  },
};

/** Returns the address of a probe. Without a port of their own the probes are on the port of the API. */
function probeAddress({ healthPort, port, host }: Config, path: "livez" | "readyz"): string {
  if (healthPort !== 0) return `http://${ownAddress(host)}:${healthPort}/${path}`;
  return `http://${ownAddress(host)}:${port}/${path === "livez" ? "healthz" : path}`;
}

/** Returns whether a process with these settings runs on this machine, ready or not. Nobody can ask a worker without a port. */
export async function isAnswering(config: Config): Promise<boolean> {
  if (config.role === "worker" && config.healthPort === 0) return false;
  return (await ask(probeAddress(config, "livez"))).answered;
}

/** Returns an address of this machine at which a server that listens on the host answers. */
function ownAddress(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::" || host === "[::]") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

interface Asked {
  readonly answered: boolean;
  readonly ok: boolean;
  readonly found: string;
}

async function ask(probe: string): Promise<Asked> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const response = await fetch(probe, { signal, redirect: "error" });
    const { ok } = response;
    return { answered: true, ok, found: `${response.status} ${await response.text()}` };
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    const fix = "Is the service running with this PORT, EXCHANGE_HEALTH_PORT and HOST?";
    return { answered: false, ok: false, found: `did not answer (${why}). ${fix}` };
  }
}
