import { createExchange, type Exchange } from "@exchange/node";
import {
  type CommandContext,
  type CommandInput,
  type CommandOption,
  UsageError,
} from "./command.ts";

/** Options of the commands for developers, which call the service as the merchant over HTTP. */
export const API_OPTIONS = {
  url: {
    value: "URL",
    description:
      "The service's address, with or without /v1. Default: $EXCHANGE_URL, or http://localhost:8080.",
  },
  client: { value: "ID", description: "The merchant's client id. Default: $EXCHANGE_CLIENT_ID." },
  key: {
    value: "KEY",
    description:
      "The merchant's API key. Default: $EXCHANGE_API_KEY, which other users of the machine cannot see.",
  },
} as const satisfies Record<string, CommandOption>;

const TIMEOUT_MS = 20_000;
/** A person waits at the terminal, so a call outlasts a rate limit. */
const MAX_RETRIES = 5;

/** Returns the address of the service with /v1, by the option or the environment. Throws a UsageError for another text. */
export function apiUrlOf(
  input: Pick<CommandInput, "one">,
  variables: CommandContext["variables"],
  fallback = "http://localhost:8080",
): string {
  const address = input.one("url") ?? variables["EXCHANGE_URL"] ?? fallback;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new UsageError(`"${address}" is not a URL. Write one such as https://pay.example.com.`);
  }
  const url = new URL(address);
  url.pathname = url.pathname.replace(/\/*(\/v1)?\/*$/, "/v1");
  return url.href;
}

/** Opens the merchant's API with the credentials of the options or of the environment. */
export function openMerchantApi({ variables }: CommandContext, input: CommandInput): Exchange {
  const baseUrl = apiUrlOf(input, variables);
  const clientId = input.one("client") ?? variables["EXCHANGE_CLIENT_ID"];
  const apiKey = input.one("key") ?? variables["EXCHANGE_API_KEY"];
  if (!clientId || !apiKey) {
    throw new UsageError("Set EXCHANGE_CLIENT_ID and EXCHANGE_API_KEY, or use --client and --key.");
  }
  try {
    return createExchange({
      baseUrl,
      clientId,
      apiKey,
      timeoutMs: TIMEOUT_MS,
      maxRetries: MAX_RETRIES,
      // A service in a private network may have no certificate. The developer names its address.
      allowPlainHttp: true,
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
