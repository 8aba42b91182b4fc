import { API_ERRORS, type OpenApiDocument } from "@exchange/contract";
import { type Html, html, prose } from "../pages/html.ts";
import { type Entry, listEntries } from "./document.ts";
import { operationSection } from "./operation.ts";
import { shell } from "./page.ts";
import { readKeyExpression, type SampleMerchant } from "./samples.ts";

/** Renders the reference as one page. */
export function renderReference(document: OpenApiDocument, merchant?: SampleMerchant): string {
  const entries = listEntries(document);
  const tags = document.tags.map((tag) => ({
    ...tag,
    id: `tag-${tag.name.toLowerCase().replace(/\W+/g, "-")}`,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return shell({
    title: `${document.info.title} API reference`,
    search: "reference.js",
    navigation: html`<p class="brand"><a href="/docs">${document.info.title}</a> <span>API ${document.info.version}</span></p>
<div class="search" role="search">
<label for="search">Search endpoints, fields and errors</label>
<input type="search" id="search" autocomplete="off" spellcheck="false">
<output id="found" for="search"></output>
</div>
<details class="menu" open><summary>All endpoints</summary><ul>
<li><a href="/docs">Guides and reference</a></li>
${tags.map(({ id, name, entries: own }) => navGroup(id, name, own))}
<li data-for="errors"><a href="#errors">Error codes</a></li>
<li><a href="/v1/openapi.json">OpenAPI document</a></li>
<li><a href="/docs/postman.json">Postman collection</a></li>
</ul></details>`,
    content: html`<h1>${document.info.title} API reference</h1>
<p class="base">Base address: <code>${document.servers[0]?.url ?? ""}</code></p>
${prose(document.info.description)}
${credentialsOf(merchant)}
${tags.map(
  ({ id, name, description, entries: own }) => html`<section class="group" aria-labelledby="${id}">
<h2 id="${id}">${name}</h2><p>${description}</p>
${own.map((entry) => operationSection(document, entry))}</section>`,
)}
${errorsSection()}`,
  });
}

/** Says how the samples get the credentials of a merchant. */
function credentialsOf(merchant: SampleMerchant | undefined): Html {
  const { clientId, keyFile } = merchant ?? {};
  if (keyFile === undefined) {
    const names = clientId === undefined ? "`API_KEY` and `CLIENT_ID`" : "`API_KEY`";
    return prose(`Samples of a merchant's server read ${names} from the environment.`);
  }
  return html`${prose("The `curl` samples of a merchant's server need no credentials from you: they use the demo merchant and read its key from its file. Replace example ids, such as an order's. For the other samples run this first:")}
<pre class="scroll" tabindex="0"><code>export API_KEY="${readKeyExpression(keyFile)}"</code></pre>`;
}

const navGroup = (id: string, name: string, entries: readonly Entry[]): Html =>
  html`<li data-for="${id}"><a href="#${id}">${name}</a><ul>${entries.map(
    ({ operation }) =>
      html`<li data-for="${operation.operationId}"><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  )}</ul></li>`;

function errorsSection(): Html {
  const rows = Object.entries(API_ERRORS).map(
    ([code, { status, message }]) =>
      html`<tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${message}</td></tr>`,
  );
  return html`<section class="group" aria-labelledby="errors"><h2 id="errors">Error codes</h2>
<p>Codes are part of the interface. Messages are for people and may change. Token creation, payment
methods and currencies answer with 400, 401, 429 and 500 only; a richer status becomes 400 there and
keeps its code.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Error codes"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody id="error-codes">${rows}</tbody></table></div></section>`;
}
