import { parseWhole } from "../parsers.ts";
import { type Setting, setting } from "../setting.ts";

const rateLimit = (name: string, amount: string, description: string): Setting<number> => ({
  name,
  default: amount,
  description,
  parse: parseWhole(1, 1_000_000_000),
});

/** Limits on the calls of each caller. */
export const RATE_LIMIT_SETTINGS = {
  readsPerMinute: rateLimit(
    "EXCHANGE_RATE_READS",
    "600",
    "Reads per minute by one merchant (client id).",
  ),
  quotesPerMinute: rateLimit(
    "EXCHANGE_RATE_QUOTES",
    "300",
    "Quotes per minute by one merchant (client id).",
  ),
  writesPerMinute: rateLimit(
    "EXCHANGE_RATE_WRITES",
    "300",
    "Other calls per minute by which one merchant (client id) changes something: refunds, cancels, wallets, webhooks.",
  ),
  tokensPerMinute: rateLimit(
    "EXCHANGE_RATE_TOKENS",
    "120",
    "Token creations per minute by one merchant (client id).",
  ),
  browserCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_BROWSER",
    "60",
    "Calls per minute with one public token.",
  ),
  anonymousCallsPerMinute: rateLimit(
    "EXCHANGE_RATE_ANONYMOUS",
    "600",
    "Calls per minute without credentials from one address, or from one /64 of IPv6. Calls with an expired token and from another page count too.",
  ),
  failedCredentialsPerFiveMinutes: rateLimit(
    "EXCHANGE_RATE_FAILED_CREDENTIALS",
    "20",
    "Wrong credentials or tokens per five minutes from one address, or from one /64 of IPv6.",
  ),
  rateFactor: setting({
    name: "EXCHANGE_RATE_FACTOR",
    default: { dev: "50", staging: "1", prod: "1" },
    description: "Multiplies every rate limit.",
    parse: parseWhole(1, 1_000_000),
  }),
} as const;
