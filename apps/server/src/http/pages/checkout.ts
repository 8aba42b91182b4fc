import {
  type CheckoutOpening,
  isAmongOrigins,
  OPENING_ID,
  OPERATOR_ID,
} from "@exchange/contract/frame";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { findMerchant } from "../../flows/merchants/find.ts";
import { Refusal } from "../../flows/refusal.ts";
import {
  makeRepresentation,
  type Representation,
  readFolder,
  sendRepresentation,
} from "../representation.ts";
import { unknownClient } from "../script/unknown-client.ts";
import { readOpeningForm, withData } from "./checkout-opening.ts";

/** The build of the checkout. The relative path is the same from src and from dist. */
const CHECKOUT = new URL("../../../../checkout/dist/", import.meta.url);
const LOCAL_ORIGINS = ["http://localhost:*", "http://127.0.0.1:*"];
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/;
const IMMUTABLE = "public, max-age=31536000, immutable";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Origins whose pages may show the merchant's checkout. */
  readonly origins: readonly string[];
}

/** Registers the checkout's page, which only the merchant's own origins may frame, and its files. */
export function registerCheckout(app: FastifyInstance, deps: Deps): void {
  const files = readFolder(CHECKOUT);
  const page = withOperator(files.get("index.html"), deps.operator);
  const sendPage = (exchange: Exchange, opening?: CheckoutOpening) => {
    if (!page) throw new Error("the checkout is not built: run npm run build");
    exchange.reply.headers(pageHeaders(exchange));
    if (!opening) return sendRepresentation(exchange, page, {});
    const text = withTheme(withData(page.bytes.toString("utf8"), OPENING_ID, opening), exchange);
    return exchange.reply.header("content-type", page.contentType).send(text);
  };
  const openPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { clientId, mode, origin } = queryOf(request);
    const origins = await merchantOrigins(deps, clientId);
    const page = typeof origin === "string" && ORIGIN.test(origin) ? origin : undefined;
    const refusal = page && (await refusalOf(deps, { clientId, origin: page, origins }));
    // The page shows nothing but the refusal, so any page may frame it and learn the reason.
    if (refusal) return sendPage({ request, reply, origins: [page] }, refusal);
    return sendPage({ request, reply, origins }, mode === "popup" ? { mode, origins } : undefined);
  };
  app.get("/checkout", openPage);
  app.get("/checkout/", openPage);
  // The page itself is the same for every secret, which the API checks. No cache and no search engine keeps it.
  app.get("/o/:secret", async (request, reply) =>
    sendPage({ request, reply: reply.header("x-robots-tag", "noindex"), origins: [] }),
  );
  app.post("/checkout", {
    // Answered before a body is parsed, so that no other route of the service accepts forms.
    onRequest: async (request, reply) => {
      const origins = await merchantOrigins(deps, queryOf(request).clientId);
      const opening = await readOpeningForm(request, origins);
      // Without an opening the page says that this link is not valid.
      if (!opening) reply.code(403).header("connection", "close");
      return sendPage({ request, reply, origins }, opening);
    },
    handler: () => {},
  });
  app.get("/checkout/*", (request, reply) => {
    const name = (request.params as { "*": string })["*"];
    const file = name === "index.html" ? undefined : files.get(name);
    if (!file) throw new Refusal("NOT_FOUND");
    const isHashed = name.startsWith("assets/");
    return sendRepresentation({ request, reply }, file, {
      "cache-control": isHashed ? IMMUTABLE : "public, max-age=3600",
    });
  });
}

/** Adds the operator to the page, where there is one to name. */
function withOperator(
  page: Representation | undefined,
  operator: Deps["operator"],
): Representation | undefined {
  if (!page || !operator) return page;
  const text = withData(page.bytes.toString("utf8"), OPERATOR_ID, operator);
  return makeRepresentation(text, page.contentType);
}

/** A window has the shop's theme before its script runs. Without one the customer's device decides. */
function withTheme(page: string, { request }: Exchange): string {
  const { theme } = queryOf(request);
  if (theme !== "light" && theme !== "dark") return page;
  return page.replace("<html ", `<html data-theme="${theme}" `);
}

const queryOf = (request: FastifyRequest) =>
  request.query as {
    readonly clientId?: unknown;
    readonly mode?: unknown;
    readonly theme?: unknown;
    /** The page that opens the checkout, in its own words. The browser enforces the ancestors. */
    readonly origin?: unknown;
  };

/** Says why a page may not show the checkout. A sandbox also says which command mends it. */
async function refusalOf(
  deps: Pick<Deps, "directory" | "environment" | "lookUp">,
  opened: {
    readonly clientId: unknown;
    readonly origin: string;
    readonly origins: readonly string[];
  },
): Promise<CheckoutOpening | undefined> {
  const { origin, origins } = opened;
  if (isAmongOrigins(origins, origin)) return undefined;
  const clientId = String(opened.clientId);
  const isKnown = (await findMerchant(deps, clientId)) !== undefined;
  const code = isKnown ? "origin_not_allowed" : "unknown_client";
  if (deps.environment === "prod") return { mode: "refused", code };
  const hint = isKnown
    ? `${origin} is not an allowed origin of ${clientId}. Run: exchange merchant update --client ${clientId} --add-origin ${origin}`
    : unknownClient(clientId);
  return { mode: "refused", code, hint };
}

function pageHeaders({ request, origins }: Exchange): Record<string, string> {
  const { mode } = queryOf(request);
  // Only the frame may be shown on a merchant's page. A window or a redirected page never is.
  const isFrame = request.method === "GET" && mode !== "popup" && mode !== "redirect";
  const ancestors = isFrame ? origins.join(" ") : "";
  return {
    "cache-control": "no-store",
    "content-security-policy": checkoutPolicy(ancestors || "'none'"),
    // Lets a page with cross-origin isolation show the checkout.
    "cross-origin-resource-policy": "cross-origin",
  };
}

/** Allows no inline code, no other origin, and no frame except on the merchant's own pages. */
const checkoutPolicy = (ancestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join("; ");

/**
 * Origins whose pages may show the merchant's checkout. In a sandbox without any, every local one.
 */
async function merchantOrigins(
  deps: Pick<Deps, "directory" | "environment" | "lookUp">,
  clientId: unknown,
): Promise<readonly string[]> {
  const merchant = typeof clientId === "string" ? await findMerchant(deps, clientId) : undefined;
  if (!merchant) return [];
  const origins = merchant.settings.allowedOrigins.filter((origin) => ORIGIN.test(origin));
  if (origins.length > 0) return origins;
  return deps.environment === "dev" ? LOCAL_ORIGINS : [];
}
