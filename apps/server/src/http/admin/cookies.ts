import { PROVIDER_SIGN_IN_SECONDS, SESSION_SECONDS } from "../../domain/people/person.ts";

/** The console's cookies: of a session, and of a sign-in at the identity provider that the browser began. */
const COOKIES = {
  session: { name: "exchange_console", seconds: SESSION_SECONDS },
  sign_in: { name: "exchange_sign_in", seconds: PROVIDER_SIGN_IN_SECONDS },
} as const;

type CookieName = keyof typeof COOKIES;

/**
 * Returns a cookie's name. A browser accepts the prefix `__Host-` only over TLS, for one host and every path, so no
 * other host can plant it. A developer's console on plain HTTP has a name without the prefix.
 */
const nameFor = (cookie: CookieName, consoleUrl: string): string =>
  `${isSecure(consoleUrl) ? "__Host-" : ""}${COOKIES[cookie].name}`;

const isSecure = (consoleUrl: string): boolean => consoleUrl.startsWith("https:");

/** Returns the header that sets a cookie, or with null clears it. Pages of other sites never send it. */
export function cookieOf(cookie: CookieName, secret: string | null, consoleUrl: string): string {
  const seconds = secret === null ? 0 : COOKIES[cookie].seconds;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure(consoleUrl) ? "; Secure" : ""}`;
  return `${nameFor(cookie, consoleUrl)}=${secret ?? ""}; Max-Age=${seconds}; ${attributes}`;
}

const SECRET = /^[A-Za-z0-9_-]{40,60}$/;

/** Returns the secret of a Cookie header, if the header has exactly one of the right form. */
export function readCookie(
  cookie: CookieName,
  header: string | undefined,
  consoleUrl: string,
): string | undefined {
  const prefix = `${nameFor(cookie, consoleUrl)}=`;
  const values = (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
  const [secret] = values;
  return values.length === 1 && secret !== undefined && SECRET.test(secret) ? secret : undefined;
}
