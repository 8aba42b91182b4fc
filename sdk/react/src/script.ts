import type { ExchangeApi, ExchangeEnvironment } from "./exchange-api.ts";
import { type ExchangeError, makeError } from "./exchange-error.ts";

/** Loads exchange.js once for the page, and never when the page has it already. */
export interface ScriptRequest {
  /** Address of the service, such as `https://exchange.example`, with or without `/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly env: ExchangeEnvironment;
  /** The nonce of the page's Content-Security-Policy, where it uses one. */
  readonly nonce?: string | undefined;
}

const LOAD_TIMEOUT_MS = 15_000;

// On the window, as a page may hold more than one copy of this package: ES module and CommonJS.
const LOADS = Symbol.for("exchange.react.loads");

interface Host {
  readonly exchange?: unknown;
  [LOADS]?: Map<string, Promise<ExchangeApi>>;
}

/**
 * The page's `exchange`, unless it is an element with that id or a queue that waits for the script.
 */
export function presentExchange(): ExchangeApi | undefined {
  const present = (window as Host).exchange as (ExchangeApi & { q?: unknown }) | undefined;
  return typeof present?.init === "function" && present.q === undefined ? present : undefined;
}

/** Rejects with an ExchangeError. After a failure, the next call loads the script again. */
export async function loadScript(request: ScriptRequest): Promise<ExchangeApi> {
  const host = window as Host;
  host[LOADS] ??= new Map();
  const loads = host[LOADS];
  const address = addressOf(request);
  const earlier = loads.get(address);
  if (earlier !== undefined) return earlier;
  const load = findOrInsert(address, request.nonce);
  loads.set(address, load);
  load.catch(() => loads.delete(address));
  return load;
}

function addressOf({ baseUrl, clientId, env }: ScriptRequest): string {
  if (!/^https?:\/\/[^/?#]/.test(baseUrl)) {
    const example = "such as https://exchange.example";
    throw makeError("invalid_options", `baseUrl must be the address of the service, ${example}.`);
  }
  const query = new URLSearchParams({ clientId, env });
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/sdk/exchange.js?${query}`;
}

async function findOrInsert(address: string, nonce: string | undefined): Promise<ExchangeApi> {
  const tag = [...document.scripts].find(({ src }) => isSameScript(src, address));
  if (tag !== undefined) await settled(tag);
  return presentExchange() ?? insert(address, nonce);
}

/** The page's own tag may have more parameters, such as currencies and amounts. */
function isSameScript(source: string, address: string): boolean {
  const [path, query] = source.split("?");
  const [ourPath, ourQuery] = address.split("?");
  const clientOf = (parameters = "") => new URLSearchParams(parameters).get("clientId");
  return path === ourPath && clientOf(query) === clientOf(ourQuery);
}

/** A tag that has already failed sends no more events, but the page's load event waits for it. */
async function settled(tag: HTMLScriptElement): Promise<void> {
  if (document.readyState === "complete") return;
  await new Promise<unknown>((resolve) => {
    tag.addEventListener("load", resolve, { once: true });
    tag.addEventListener("error", resolve, { once: true });
    window.addEventListener("load", resolve, { once: true });
  });
}

function insert(address: string, nonce: string | undefined): Promise<ExchangeApi> {
  const script = document.createElement("script");
  const ended = new AbortController();
  const load = new Promise<ExchangeApi>((resolve, reject) => {
    const { signal } = ended;
    const onLoad = (): void => {
      const exchange = presentExchange();
      if (exchange === undefined) reject(failed(address, "is not the script"));
      else resolve(exchange);
    };
    // A policy violation is reported around the same time, perhaps a moment later.
    const onError = () => setTimeout(() => reject(failed(address, "did not load")), 50);
    const onViolation = (event: SecurityPolicyViolationEvent): void => {
      if (isAbout(event, address)) reject(blocked(address));
    };
    script.addEventListener("load", onLoad, { signal });
    script.addEventListener("error", onError, { signal });
    document.addEventListener("securitypolicyviolation", onViolation, { signal });
    const timer = setTimeout(() => reject(failed(address, "did not answer")), LOAD_TIMEOUT_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
    if (nonce !== undefined) script.nonce = nonce;
    try {
      script.src = address;
    } catch {
      // With Trusted Types, no script may choose the address of another.
      reject(blocked(address));
    }
    document.head.append(script);
  });
  load.catch(() => script.remove()).finally(() => ended.abort());
  return load;
}

const isAbout = (event: SecurityPolicyViolationEvent, address: string): boolean =>
  event.effectiveDirective.startsWith("script-src") &&
  event.blockedURI.startsWith(new URL(address).origin);

const failed = (address: string, what: string): ExchangeError =>
  makeError("script_failed", `${address} ${what}.`);

const blocked = (address: string): ExchangeError => {
  const { origin } = new URL(address);
  return makeError("script_blocked", `The page's policy blocks exchange.js: allow ${origin}.`);
};
