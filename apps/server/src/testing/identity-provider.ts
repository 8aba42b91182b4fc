import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeOpenIdProvider } from "../adapters/openid/provider.ts";
import { CALLBACK_PATH, type IdentityProvider } from "../domain/ports/identity-provider.ts";

const PROGRAM = fileURLToPath(new URL("identity-provider.mjs", import.meta.url));

/** The provider answers within it on the slowest machine, so no test ends by it. */
const TIMEOUT_SECONDS = 60;

/** A way in which the provider's ID tokens are wrong; "" when they are right. */
export type Lie = "" | "key" | "nonce" | "issuer" | "audience" | "expired";

/** A provider in a process of its own. */
export interface StartedProvider {
  readonly issuer: string;
  /** Signs in as a browser does, from the address that the console sent it to. Returns the query of the callback. */
  signIn(url: string, account: string): Promise<string>;
  lie(lie: Lie): Promise<void>;
  /** Returns the adapter of a console that is registered with the provider. */
  adapter(options?: { readonly clientSecret?: string }): IdentityProvider;
  stop(): Promise<void>;
}

/** Starts the provider for a console at this origin. */
export async function startIdentityProvider(consoleUrl: string): Promise<StartedProvider> {
  const child = spawn(process.execPath, [PROGRAM, `${consoleUrl}${CALLBACK_PATH}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const issuer = await issuerOf(createInterface(child.stdout));
  return {
    issuer,
    signIn,
    async lie(lie) {
      await fetch(`${issuer}/lie`, { method: "POST", body: lie });
    },
    adapter: ({ clientSecret = "a-secret-of-the-test" } = {}) =>
      makeOpenIdProvider({
        issuer,
        clientId: "exchange-console",
        clientSecret,
        name: "Example Login",
        consoleUrl,
        timeoutSeconds: TIMEOUT_SECONDS,
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function issuerOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, issuer] = /^issuer (\S+)$/.exec(line) ?? [];
    if (issuer !== undefined) return issuer;
  }
  throw new Error("The identity provider ended before it listened.");
}

async function signIn(url: string, account: string): Promise<string> {
  const cookies = new Map<string, string>();
  const follow = async (at: URL, body?: string): Promise<URL> => {
    const reply = await fetch(at, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "content-type": "application/x-www-form-urlencoded",
      },
      ...(body !== undefined && { body }),
    });
    for (const set of reply.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = reply.headers.get("location");
    if (location === null) throw new Error(`${at.href} answered ${reply.status}`);
    return new URL(location, at);
  };
  const form = await follow(new URL(url));
  const signedIn = await follow(form, new URLSearchParams({ account }).toString());
  return (await follow(signedIn)).search.slice(1);
}
