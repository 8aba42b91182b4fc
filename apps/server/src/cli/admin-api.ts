import { readFileSync, statSync } from "node:fs";
import { parseApiKey } from "../secrets/api-key.ts";
import { isPrivateFile, privateFileWords } from "../secrets/private-file.ts";
import {
  type CommandContext,
  type CommandInput,
  type CommandOption,
  UsageError,
} from "./command.ts";

/** Options of the command that calls the console's interface over HTTP. */
export const ADMIN_OPTIONS = {
  url: {
    value: "URL",
    description:
      "The console's address. Default: $EXCHANGE_CONSOLE_URL, or localhost with $EXCHANGE_CONSOLE_PORT or 8082.",
  },
  "key-file": {
    value: "PATH",
    description:
      "A file with the key of a service account, which only its owner can read. Default: $EXCHANGE_ADMIN_KEY_FILE.",
  },
} as const satisfies Record<string, CommandOption>;

/** The console's interface refused a call, or did not answer. */
export class AdminCallError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A schema, as far as the command shows it. */
export interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
}

export interface OperationParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: DocumentSchema;
}

export interface AdminOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly OperationParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: DocumentSchema }>>;
  };
}

/** The interface as the service describes it. */
export interface AdminDocument {
  readonly operations: readonly AdminOperation[];
  readonly schemas: Readonly<Record<string, DocumentSchema>>;
}

/** An answer: JSON, a file's text, or nothing. */
export type AdminAnswer = { readonly json: unknown } | { readonly text: string } | undefined;

export interface AdminApi {
  readDocument(): Promise<AdminDocument>;
  call(request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    readonly body?: string | undefined;
  }): Promise<AdminAnswer>;
}

const TIMEOUT_MS = 60_000;

/**
 * Opens the interface at the address of the options or of the environment. A call reads the key, and the document
 * needs none.
 */
export function openAdminApi(context: CommandContext, input: CommandInput): AdminApi {
  const base = addressOf(context, input);
  const send = async (path: string, request: RequestInit): Promise<AdminAnswer> => {
    const init = {
      ...request,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    const response = await fetch(`${base}/v1${path}`, init).catch((error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new AdminCallError("UNREACHABLE", `${base} cannot be reached: ${message}`);
    });
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text);
    if (response.status === 204) return undefined;
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return isJson ? { json: JSON.parse(text) } : { text };
  };
  return {
    async readDocument() {
      const answer = await send("/admin/openapi.json", {});
      if (answer === undefined || !("json" in answer)) {
        throw new AdminCallError("NOT_A_CONSOLE", `${base} is not the address of a console.`);
      }
      return readOperations(answer.json as WrittenDocument);
    },
    call: ({ method, path, body }) => {
      const authorization = `Bearer ${readKey(context, input)}`;
      const headers = {
        authorization,
        ...(body !== undefined && { "content-type": "application/json" }),
      };
      return send(path, { method, headers, ...(body !== undefined && { body }) });
    },
  };
}

function addressOf({ variables }: CommandContext, input: CommandInput): string {
  const local = `http://localhost:${variables["EXCHANGE_CONSOLE_PORT"] ?? "8082"}`;
  const text = input.one("url") ?? variables["EXCHANGE_CONSOLE_URL"] ?? local;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    return text.replace(/\/+$/, "").replace(/\/v1$/, "");
  }
  throw new UsageError(`"${text}" is not a URL. Write one such as https://console.example.com.`);
}

/** Reads the key from its file. An argument would show it to every user of the machine. */
function readKey({ variables }: CommandContext, input: CommandInput): string {
  const path = input.one("key-file") ?? variables["EXCHANGE_ADMIN_KEY_FILE"];
  if (!path) {
    throw new UsageError(
      "A call needs the key of a service account. Name its file with --key-file or EXCHANGE_ADMIN_KEY_FILE.",
    );
  }
  let key: string;
  try {
    if (!isPrivateFile(statSync(path))) throw new UsageError(privateFileWords(path));
    key = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (parseApiKey(key, "exs") !== undefined) return key;
  throw new UsageError(
    `${path} does not hold the key of a service account. It begins with exs_ and is alone in its file.`,
  );
}

interface WrittenDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, AdminOperation>>>>;
  readonly components: Pick<AdminDocument, "schemas">;
}

const readOperations = ({ paths, components }: WrittenDocument): AdminDocument => ({
  operations: Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  ),
  schemas: components.schemas,
});

/** Returns the service's own words. Another server's answer has none, so its status is named. */
function refusalOf(status: number, text: string): AdminCallError {
  try {
    const { code, message } = JSON.parse(text);
    if (typeof code === "string" && typeof message === "string") {
      return new AdminCallError(code, `${message} (${code})`);
    }
  } catch {
    // Not JSON.
  }
  return new AdminCallError("HTTP_ERROR", `The server answered with the status ${status}.`);
}
