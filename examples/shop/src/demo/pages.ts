import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { type Handler, send, sendJson } from "../http.ts";
import { contentSecurityPolicy } from "../security-policy.ts";
import type { Settings } from "../settings.ts";
import { codeOf } from "./example-code.ts";
import { renderExample } from "./example-page.ts";
import { type Example, OPERATIONS } from "./examples.ts";
import { INDEX_PAGE } from "./index-page.ts";
import { readPinnedScript } from "./pinned-script.ts";
import { renderReturned } from "./returned-page.ts";
import { VARIANTS } from "./variants.ts";

/** Everything that is read with GET, by method and path. */
export const demoPages = (settings: Settings): ReadonlyMap<string, Handler> =>
  new Map([
    ...files("/", { folder: "../../public/", ending: ".css", type: "text/css" }),
    ...files("/page/", { folder: "../../dist/page/", ending: ".js", type: "text/javascript" }),
    ...[...OPERATIONS, ...VARIANTS].map(
      (example) => [`GET ${example.path}`, showExample(example, settings)] as const,
    ),
    ["GET /examples", (_request, response) => send(response, "text/html", INDEX_PAGE)],
    [
      "GET /return",
      (request, response) => {
        const { searchParams } = new URL(request.url ?? "/", "http://shop.invalid");
        send(response, "text/html", renderReturned(settings, searchParams));
      },
    ],
  ]);

function showExample(example: Example, settings: Settings): Handler {
  if (example.policy === "nonce") return showWithNonce(example, settings);
  if (example.opening === "pinned") return showPinned(example, settings);
  const code = codeOf(example, settings);
  const page = renderExample(example, { settings, code, tags: {} });
  return (_request, response) => send(response, "text/html", page);
}

function showWithNonce(example: Example, settings: Settings): Handler {
  const code = codeOf(example, settings);
  const exchangeOrigin = new URL(settings.exchangeUrl).origin;
  return (_request, response) => {
    const nonce = randomBytes(16).toString("base64");
    const policy = contentSecurityPolicy({ exchangeOrigin, nonce });
    response.setHeader("content-security-policy", policy);
    send(response, "text/html", renderExample(example, { settings, code, tags: { nonce } }));
  };
}

const showPinned =
  (example: Example, settings: Settings): Handler =>
  async (_request, response) => {
    const pinned = await readPinnedScript(settings);
    if (pinned === undefined) {
      return sendJson(response, 502, { message: "Exchange does not say what script it serves." });
    }
    const code = codeOf(example, settings, pinned);
    send(response, "text/html", renderExample(example, { settings, code, tags: { pinned } }));
  };

interface Files {
  readonly folder: string;
  readonly ending: string;
  readonly type: string;
}

function files(path: string, { folder, ending, type }: Files): (readonly [string, Handler])[] {
  const at = new URL(folder, import.meta.url);
  return readdirSync(at)
    .filter((name) => name.endsWith(ending))
    .map((name) => {
      const body = readFileSync(new URL(name, at));
      return [`GET ${path}${name}`, (_request, response) => send(response, type, body)] as const;
    });
}
