import { readFileSync } from "node:fs";
import { contentSecurityPolicy } from "../security-policy.ts";
import type { Settings } from "../settings.ts";
import type { Example } from "./examples.ts";
import { type Html, html } from "./html.ts";

/** A piece of code that a page offers to copy. */
export interface Snippet {
  readonly title: string;
  /** Its file under `examples/shop`; undefined for text that this very page was sent with. */
  readonly file?: string;
  readonly code: string;
}

export interface Code {
  readonly page: readonly Snippet[];
  readonly server: readonly Snippet[];
}

/** The lines of a file between `// #region name` and `// #endregion`: the demo shows what it runs. */
export function readSnippet(title: string, file: string, region: string): Snippet {
  const lines = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split("\n");
  const first = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const length = lines.slice(first).findIndex((line) => line.trim() === "// #endregion");
  if (first === -1 || length === -1) throw new Error(`${file} has no region ${region}.`);
  const regionLines = lines.slice(first + 1, first + length);
  const indent = Math.min(
    ...regionLines.filter((line) => line !== "").map((line) => line.search(/\S/)),
  );
  const code = regionLines.map((line) => line.slice(indent)).join("\n");
  return { title, file, code: code.trim() };
}

const OPENINGS_FILE = "src/page/openings.ts";
const FETCH = inPage(readSnippet("Ask your server for the token", OPENINGS_FILE, "fetch-token"));
const RETURN = readSnippet("The page they return to", "src/return-page.ts", "return");
const SERVER: readonly Snippet[] = [
  readSnippet("One session and token for each attempt", "src/checkout-route.ts", "checkout"),
  readSnippet("The webhook", "src/webhook-route.ts", "webhook"),
  readSnippet("Paid, and only here", "src/purchases.ts", "apply"),
];

/** The code of the page that customers return to. */
export const RETURN_CODE: Code = { page: [], server: [RETURN] };

/** The code that a merchant copies to get the page of this example. */
export function codeOf(example: Example, tag: Html, settings: Settings): Code {
  const { shelf, opening, hasNonce } = example;
  return {
    page: [{ title: "The script", code: tag.text }, openingOf(example), FETCH],
    server: [
      ...(hasNonce ? [policyCode(settings)] : []),
      readSnippet("What is sold", shelf.file, shelf.region),
      ...SERVER,
      ...(opening === "redirect" ? [RETURN] : []),
    ],
  };
}

/** A nonce in shown code, which is the same for every response. */
export const SHOWN_NONCE = "a new one for each response";

/** The header as it is sent, not the code that makes it. */
function policyCode({ exchangeUrl }: Settings): Snippet {
  const exchangeOrigin = new URL(exchangeUrl).origin;
  const policy = contentSecurityPolicy({ exchangeOrigin, nonce: SHOWN_NONCE });
  const code = `content-security-policy: ${policy.replaceAll("; ", ";\n  ")}`;
  return { title: "The page's policy", code };
}

function openingOf({ opening }: Example): Snippet {
  const snippet = inPage(readSnippet("Open the checkout in the click", OPENINGS_FILE, opening));
  const [, name = ""] = /(?:const|function) (open\w+|prepare\w+)/.exec(snippet.code) ?? [];
  const listener = name.startsWith("prepare") ? `${name}()` : name;
  const click = `document.querySelector("#pay").addEventListener("click", ${listener});`;
  return { ...snippet, code: `${snippet.code}\n\n${click}` };
}

/** A page without modules exports nothing. */
function inPage(snippet: Snippet): Snippet {
  return { ...snippet, code: snippet.code.replaceAll("export ", "") };
}

const figure = ({ title, file, code }: Snippet): Html => html`
    <figure class="code card">
      <figcaption>
        <h4>${title}</h4>
        <span class="hint">${file === undefined ? "as this page was sent" : html`<code>examples/shop/${file}</code>`}</span>
      </figcaption>
      <div class="copying"><button class="copy" type="button" aria-label="Copy: ${title}">Copy</button>
        <span class="hint" role="status"></span></div>
      <pre tabindex="0" role="group" aria-label="Code: ${title}"><code>${code}</code></pre>
    </figure>`;

/** The snippets of a page, in the order in which a merchant needs them. */
export const codeSection = ({ page, server }: Code): Html => html`
  <section class="codes" aria-labelledby="code-title" lang="en" dir="ltr">
    <h2 id="code-title">The code of this page</h2>
    <p class="hint">Read from the files that run here.</p>
    ${page.length > 0 && html`<details open><summary><h3>In your page</h3></summary>${page.map(figure)}</details>`}
    <details${page.length === 0 && html` open`}><summary><h3>On your server</h3></summary>${server.map(figure)}</details>
  </section>`;
