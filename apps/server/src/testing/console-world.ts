import { ADMIN_ENDPOINTS, type AdminEndpoint, type RoleName } from "@exchange/contract/admin";
import type { Static } from "@sinclair/typebox";
import { Ajv } from "ajv";
import type { FastifyInstance } from "fastify";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, expect } from "vitest";
import type { Deps } from "../flows/deps.ts";
import { invitePerson } from "../flows/people/invite.ts";
import type { PeopleDeps } from "../flows/people/open-session.ts";
import { buildAdminServer } from "../http/admin/server.ts";
import { buildHttpServer } from "../http/server.ts";
import { unnamedStatement } from "../storage/postgres/database.ts";
import { GENEROUS } from "./http-world.ts";
import { operatorNamed } from "./operators.ts";
import { makeSoftPasskey, type SoftPasskey } from "./soft-passkey.ts";
import type { World } from "./world.ts";

export const CONSOLE_URL = "https://console.example";

/** An answer. Its success body was checked against the endpoint's schema. */
export interface ConsoleReply<E extends AdminEndpoint = AdminEndpoint> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Its Set-Cookie headers. */
  readonly cookies: readonly string[];
  readonly text: string;
  /** The word for the outcome, of an error too. */
  readonly code: string;
  readonly body: Static<E["success"]["schema"]>;
}

export interface CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly payload?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser with the console's cookies, and the passkey of its person. */
export interface ConsoleBrowser {
  readonly email: string;
  readonly passkey: SoftPasskey;
  /** The cookie of its session. */
  cookie: string | undefined;
  /** The cookie of a sign-in at the identity provider that it began. */
  signIn: string | undefined;
  call<const E extends AdminEndpoint>(endpoint: E, options?: CallOptions): Promise<ConsoleReply<E>>;
}

/** A program that sends the key of a service account, and neither a cookie nor an origin. */
export type ConsoleProgram = Pick<ConsoleBrowser, "call">;

/** The console's server, called without a socket, and people who are signed in. */
export interface ConsoleWorld {
  readonly app: FastifyInstance;
  readonly deps: Deps & PeopleDeps;
  /** Invites a person and accepts with a passkey. */
  person(roles: readonly RoleName[], merchantId?: string | null): Promise<ConsoleBrowser>;
  browser(email?: string): ConsoleBrowser;
  program(key: string): ConsoleProgram;
  close(): Promise<void>;
}

const ANSWERS = new Ajv({ strict: false, allErrors: true });

export function makeConsoleWorld(
  given: Deps,
  { identityProvider }: Pick<PeopleDeps, "identityProvider"> = {},
): ConsoleWorld {
  const deps = { ...given, consoleUrl: CONSOLE_URL, identityProvider };
  const buildApi = () => buildHttpServer(given, { version: "0.0.0", rateLimits: GENEROUS });
  const app = buildAdminServer(deps, { buildApi });
  let people = 0;
  const browser = (email = ""): ConsoleBrowser => {
    const made: ConsoleBrowser = {
      email,
      passkey: makeSoftPasskey(CONSOLE_URL),
      cookie: undefined,
      signIn: undefined,
      async call<const E extends AdminEndpoint>(endpoint: E, options: CallOptions = {}) {
        const cookie = [made.cookie, made.signIn].filter(Boolean).join("; ") || undefined;
        const reply = await send<E>(app, endpoint, { ...options, cookie });
        for (const set of reply.cookies) {
          const [pair = ""] = set.split(";");
          made[pair.includes("exchange_sign_in=") ? "signIn" : "cookie"] = pair;
        }
        requireDocumented(endpoint, reply);
        return reply;
      },
    };
    return made;
  };
  return {
    app,
    deps,
    browser,
    async person(roles, merchantId = null) {
      people += 1;
      const email = `person${people}@example.com`;
      const by = operatorNamed("anna");
      const name = `Person ${people}`;
      const { link } = await invitePerson(deps, { email, name, roles, merchantId, by });
      const made = browser(email);
      await acceptLink(made, link);
      return made;
    },
    program: (key) => ({
      async call<const E extends AdminEndpoint>(endpoint: E, options: CallOptions = {}) {
        const reply = await send<E>(app, endpoint, { ...options, cookie: undefined, key });
        requireDocumented(endpoint, reply);
        return reply;
      },
    }),
    close: () => app.close(),
  };
}

/** The console of a test file, over the world that it is made in. */
export interface UsedConsole<W extends World> extends Omit<ConsoleWorld, "close"> {
  readonly world: W;
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Makes a world and its console before the tests of a file, and closes both after them. */
export function useConsole<W extends World>(
  make: () => Promise<W>,
  extra?: () => Promise<Pick<PeopleDeps, "identityProvider">>,
): UsedConsole<W> {
  let opened: { readonly world: W; readonly desk: ConsoleWorld } | undefined;
  const open = () => {
    if (opened === undefined) throw new Error("The console is used before the tests begin.");
    return opened;
  };
  beforeAll(async () => {
    const world = await make();
    opened = { world, desk: makeConsoleWorld(world.deps, await extra?.()) };
  });
  afterAll(async () => {
    await opened?.desk.close();
    await opened?.world.close();
  });
  return {
    get world() {
      return open().world;
    },
    get app() {
      return open().desk.app;
    },
    get deps() {
      return open().desk.deps;
    },
    browser: (email) => open().desk.browser(email),
    person: (roles, merchantId) => open().desk.person(roles, merchantId),
    program: (key) => open().desk.program(key),
    query: (text, values = []) => open().world.database.query(unnamedStatement(text), values),
  };
}

/** Returns the pages of a list, one after the other. */
export async function pagesOf<Item>(
  read: (page: { readonly cursor?: string }) => Promise<{
    readonly body: { readonly data: readonly Item[]; readonly nextCursor: string | null };
  }>,
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body }: Awaited<ReturnType<typeof read>> = await read(cursor === "" ? {} : { cursor });
    pages.push(body.data);
    cursor = body.nextCursor;
  }
  return pages;
}

/** Returns the rows of a file of the console by the names of its columns. No cell of these tests has a comma. */
export function csvRows(csv: string): Readonly<Record<string, string>>[] {
  const [head = "", ...lines] = csv.split("\r\n").filter((line) => line !== "");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  });
}

/** Returns a time of a list, in Unix seconds, as the list's file has it. */
export const csvTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1_000).toISOString().replace(".000", "");

/** Returns the secret of an invitation's link. */
export const tokenOf = (link: string): string => link.split("/#/invitation/")[1] ?? "";

/** A code of the next step is right for a minute at least, however slow the machine is. */
export const codeOf = (secret: string, stepsAhead = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsAhead * 30_000 });

export const PASSWORD = "four brown otters swim";

/** Accepts an invitation with a password and an authenticator. */
export async function acceptWithPassword(browser: ConsoleBrowser, link: string) {
  const token = tokenOf(link);
  const calls = ADMIN_ENDPOINTS;
  const made = await browser.call(calls.makeAuthenticatorSecret, { payload: { token } });
  const { secret } = made.body.data;
  const payload = { token, password: PASSWORD, code: codeOf(secret) };
  const accepted = await browser.call(calls.acceptWithPassword, { payload });
  expect(accepted.status).toBe(201);
  return { browser, secret, token, recoveryCodes: accepted.body.data.recoveryCodes };
}

/** Accepts an invitation with the browser's passkey, which signs it in. */
export async function acceptLink(person: ConsoleBrowser, link: string) {
  const token = tokenOf(link);
  const reply = await person.call(ADMIN_ENDPOINTS.askPasskeyOfInvitation, { payload: { token } });
  if (reply.status !== 200) throw new Error(reply.code);
  const { challengeId, options } = reply.body.data;
  return person.call(ADMIN_ENDPOINTS.acceptWithPasskey, {
    payload: {
      token,
      challengeId,
      response: person.passkey.create(options),
      passkeyName: "Test device",
    },
  });
}

async function send<E extends AdminEndpoint>(
  app: FastifyInstance,
  { method, path }: E,
  {
    params = {},
    query = {},
    payload,
    headers,
    cookie,
    key,
  }: CallOptions & { readonly cookie: string | undefined; readonly key?: string },
): Promise<ConsoleReply<E>> {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => String(params[name] ?? ""));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const reply = await app.inject({
    method,
    url: `/v1${filled}${search === "" ? "" : `?${search}`}`,
    headers: {
      ...(key === undefined ? { origin: CONSOLE_URL } : { authorization: `Bearer ${key}` }),
      "user-agent": "test",
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
    ...(payload !== undefined && { payload: payload as object }),
  });
  const isJson = String(reply.headers["content-type"]).includes("json") && reply.body !== "";
  return {
    status: reply.statusCode,
    headers: reply.headers,
    cookies: [reply.headers["set-cookie"] ?? []].flat(),
    text: reply.body,
    ...(isJson ? withCode(JSON.parse(reply.body)) : { code: "", body: reply.body }),
  };
}

const withCode = (body: { readonly code: string }) => ({ code: body.code, body });

/** Throws when an answer is not what the endpoint's row documents. */
function requireDocumented(endpoint: AdminEndpoint, { status, body, text }: ConsoleReply): void {
  const { operationId, success, errors } = endpoint;
  if (status !== success.status) {
    if (errors.includes(status)) return;
    throw new Error(`${operationId} answered with an undocumented ${status}: ${text}`);
  }
  if (status === 204 || endpoint.download) return;
  const validate = ANSWERS.compile(success.schema);
  if (!validate(body)) {
    throw new Error(`${operationId}: ${ANSWERS.errorsText(validate.errors)} in ${text}`);
  }
}
