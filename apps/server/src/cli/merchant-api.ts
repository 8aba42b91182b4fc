import { UsageError } from "./arguments.ts";
import type { CommandContext, CommandInput, CommandOption } from "./command.ts";

/** How a command of a developer reaches the service: as the merchant, over HTTP, from any machine. */
export const API_OPTIONS = {
  url: {
    value: "URL",
    description: "The service's address with /v1; $EXCHANGE_URL, or http://localhost:8080/v1.",
  },
  client: { value: "ID", description: "The merchant's client id; $EXCHANGE_CLIENT_ID." },
  key: {
    value: "KEY",
    description: "The merchant's API key; better in $EXCHANGE_API_KEY, which nobody else can list.",
  },
} as const satisfies Record<string, CommandOption>;

export interface MerchantApi {
  get<Data>(path: string): Promise<Data>;
  post<Data>(path: string, body: object): Promise<Data>;
}

const TIMEOUT_MS = 20_000;
/** What the service says it waits for before it answers again. */
const PATIENCE_SECONDS_MAX = 60;

/** The merchant's calls. Each gives the whole body, and throws the service's own words. */
export function openMerchantApi(context: CommandContext, input: CommandInput): MerchantApi {
  const { variables } = context;
  const base = input.one("url") ?? variables["EXCHANGE_URL"] ?? "http://localhost:8080/v1";
  const client = input.one("client") ?? variables["EXCHANGE_CLIENT_ID"];
  const key = input.one("key") ?? variables["EXCHANGE_API_KEY"];
  if (!client || !key) {
    throw new UsageError(
      "Set EXCHANGE_CLIENT_ID and EXCHANGE_API_KEY, or give --client and --key.",
    );
  }
  if (!URL.canParse(base)) throw new UsageError(`"${base}" is not a URL.`);
  const headers = { "x-client-id": client, "x-api-key": key, "content-type": "application/json" };
  const send = async <Data>(path: string, init: RequestInit): Promise<Data> => {
    for (;;) {
      const response = await fetch(`${base.replace(/\/$/, "")}${path}`, {
        ...init,
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const waitSeconds = Number(response.headers.get("retry-after") ?? "1");
      if (response.status === 429 && waitSeconds <= PATIENCE_SECONDS_MAX) {
        await response.arrayBuffer();
        await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
        continue;
      }
      return readAnswer<Data>(response);
    }
  };
  return {
    get: (path) => send(path, { method: "GET" }),
    post: (path, body) => send(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

/** The service refused, or somebody else answered in its place. */
export class ApiError extends Error {}

async function readAnswer<Data>(response: Response): Promise<Data> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { code?: string; message?: string };
    if (response.ok) return body as Data;
    throw new ApiError(`${response.status} ${body.code}: ${body.message}`);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(`${response.status} from ${response.url}, which is no answer of Exchange`);
  }
}
