import { type Html, html } from "./html.ts";
import type { Snippet } from "./snippets.ts";

export interface Code {
  readonly page: readonly Snippet[];
  readonly server: readonly Snippet[];
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

/** What to copy for this page, in the order in which it is needed. */
export const codeSection = ({ page, server }: Code): Html => html`
  <section class="codes" aria-labelledby="code-title" lang="en" dir="ltr">
    <h2 id="code-title">The code of this page</h2>
    <p class="hint">Read from the files that run here.</p>
    ${page.length > 0 && html`<details open><summary><h3>In your page</h3></summary>${page.map(figure)}</details>`}
    <details${page.length === 0 && html` open`}><summary><h3>On your server</h3></summary>${server.map(figure)}</details>
  </section>`;
