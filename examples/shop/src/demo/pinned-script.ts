import type { Settings } from "../settings.ts";

/** One version of exchange.js, whose bytes never change. */
export interface PinnedScript {
  readonly script: string;
  readonly integrity: string;
}

const TIMEOUT_MS = 5_000;

/**
 * Address and hash of the version that Exchange serves now. A shop looks them up once, tries that
 * version, and writes both into its pages; this one asks each time, so that it never grows old.
 */
export async function readPinnedScript(settings: Settings): Promise<PinnedScript | undefined> {
  try {
    const response = await fetch(`${settings.exchangeUrl}/sdk/exchange.json`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return undefined;
    return (await response.json()) as PinnedScript;
  } catch {
    return undefined;
  }
}
