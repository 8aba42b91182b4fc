import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { readFolder } from "../assets/folder.ts";
import { sendRepresentation } from "../assets/representation.ts";

/** What the build of the checkout made; the same distance from src as from dist. */
const CHECKOUT = new URL("../../../../checkout/dist/", import.meta.url);
const LOCAL_ORIGINS = ["http://localhost:*", "http://127.0.0.1:*"];
const ORIGIN = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** The popup's page, which only the merchant's own origins may show in a frame, and its files. */
export function registerCheckout(app: FastifyInstance, deps: Deps): void {
  const files = readFolder(CHECKOUT);
  const page = files.get("index.html");
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    if (!page) throw new Error("the checkout is not built: run npm run build");
    const { clientId } = request.query as { clientId?: unknown };
    return sendRepresentation({ request, reply }, page, {
      "cache-control": "no-store",
      "content-security-policy": checkoutPolicy(deps, clientId),
      // A page that isolates itself may still show the checkout.
      "cross-origin-resource-policy": "cross-origin",
    });
  };
  app.get("/checkout", sendPage);
  app.get("/checkout/", sendPage);
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

/** No inline code, nothing from elsewhere, and no frame but on the merchant's own pages. */
function checkoutPolicy(deps: Deps, clientId: unknown): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors(deps, clientId)}`,
  ].join("; ");
}

function frameAncestors(deps: Deps, clientId: unknown): string {
  const merchant = typeof clientId === "string" ? deps.directory().merchant(clientId) : undefined;
  if (!merchant) return "'none'";
  const origins = merchant.settings.allowedOrigins.filter((origin) => ORIGIN.test(origin));
  if (origins.length > 0) return origins.join(" ");
  return deps.environment === "dev" ? LOCAL_ORIGINS.join(" ") : "'none'";
}
