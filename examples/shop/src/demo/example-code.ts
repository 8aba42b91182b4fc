import { contentSecurityPolicy } from "../security-policy.ts";
import type { Settings } from "../settings.ts";
import type { Code } from "./code-section.ts";
import type { Example } from "./examples.ts";
import type { PinnedScript } from "./pinned-script.ts";
import { exchangeTag } from "./script-tags.ts";
import { readSnippet, type Snippet } from "./snippets.ts";

const NONCE = "a new one for each response";

const from = (file: string, region: string, title: string): Snippet =>
  readSnippet(title, { file: `src/${file}`, region });

const FETCH = inPage(from("page/fetch-token.ts", "fetch-token", "Ask your server for the token"));
const RETURN = from("return-page.ts", "return", "The page they return to");
const SERVER: readonly Snippet[] = [
  from("checkout-route.ts", "checkout", "One session for each attempt"),
  from("exchange-client.ts", "token", "The token"),
  from("webhook-route.ts", "webhook", "The webhook"),
  from("webhook-signature.ts", "verify", "Is the webhook ours, and new?"),
  from("purchases.ts", "apply", "Paid, and only here"),
];

/** What a merchant copies for the page that customers return to. */
export const RETURN_CODE: Code = { page: [], server: [RETURN] };

/** What a merchant copies to have what the page shows. */
export function codeOf(example: Example, settings: Settings, pinned?: PinnedScript): Code {
  const nonce = example.policy === "nonce" ? NONCE : undefined;
  const tag = { title: "The script", code: exchangeTag(settings, { nonce, pinned }).text };
  const isRedirect = example.opening === "redirect";
  return {
    page: [tag, openingOf(example), FETCH],
    server: [
      ...(nonce === undefined ? [] : [policyCode(settings)]),
      readSnippet("What is sold", example.productsFrom),
      ...SERVER,
      ...(isRedirect ? [RETURN] : []),
    ],
  };
}

/** The header as it is sent, and not the code that makes it. */
function policyCode({ exchangeUrl }: Settings): Snippet {
  const exchangeOrigin = new URL(exchangeUrl).origin;
  const policy = contentSecurityPolicy({ exchangeOrigin, nonce: NONCE });
  const code = `content-security-policy: ${policy.replaceAll("; ", ";\n  ")}`;
  return { title: "The page's policy", code };
}

function openingOf({ opening }: Example): Snippet {
  const snippet = inPage(from("page/openings.ts", opening, "Open the checkout in the click"));
  const [, name = ""] = /(?:const|function) (open\w+|prepare\w+)/.exec(snippet.code) ?? [];
  const listener = name.startsWith("prepare") ? `${name}()` : name;
  const click = `document.querySelector("#pay").addEventListener("click", ${listener});`;
  return { ...snippet, code: `${snippet.code}\n\n${click}` };
}

/** A page without modules exports nothing. */
function inPage(snippet: Snippet): Snippet {
  return { ...snippet, code: snippet.code.replaceAll("export ", "") };
}
