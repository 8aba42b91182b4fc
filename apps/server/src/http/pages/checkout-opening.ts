import { type CheckoutOpening, isAmongOrigins } from "@exchange/contract/frame";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../flows/refusal.ts";

const FORM_BYTES_MAX = 16 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const TOKEN = /^[A-Za-z0-9._~+/-]{1,4096}=*$/;
const RETURN_URL_CHARACTERS_MAX = 2048;

/**
 * Returns the form that a page posted to redirect its customer; undefined if the body is not such a
 * form.
 */
export async function readOpeningForm(
  request: FastifyRequest,
  origins: readonly string[],
): Promise<CheckoutOpening | undefined> {
  // The browser names the posting page's origin. The body of an unregistered origin is not read.
  if (!isAmongOrigins(origins, request.headers.origin ?? "")) return undefined;
  if (!FORM_TYPE.test(request.headers["content-type"] ?? "")) return undefined;
  const form = new URLSearchParams(await readText(request));
  const token = form.get("token") ?? "";
  const returnUrl = form.get("returnUrl") ?? "";
  const options = readJson(form.get("options") ?? "{}");
  if (!TOKEN.test(token) || !isReturnUrl(returnUrl, origins) || !options) return undefined;
  return { mode: "redirect", token, returnUrl, options };
}

/** A body over the limit is not a form. */
async function readText(request: FastifyRequest): Promise<string> {
  try {
    return (await request.receiveBody(FORM_BYTES_MAX)).toString("utf8");
  } catch (error) {
    if (error instanceof Refusal && error.code === "PAYLOAD_TOO_LARGE") return "";
    throw error;
  }
}

function readJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The customer is sent back to the merchant's own pages only. */
function isReturnUrl(text: string, origins: readonly string[]): boolean {
  if (text.length > RETURN_URL_CHARACTERS_MAX || !URL.canParse(text)) return false;
  const { origin, username, password } = new URL(text);
  return isAmongOrigins(origins, origin) && username === "" && password === "";
}

/** Renders the page with a trusted fact, as data that no browser executes. */
export function withData(page: string, id: string, data: object): string {
  // Escaped, so that no text can end the element or begin another.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="${id}">${json}</script>`;
  return page.replace("</head>", () => `${element}</head>`);
}
