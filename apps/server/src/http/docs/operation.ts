import type { OpenApiDocument } from "@exchange/contract";
import { Html, html, inline, NOTHING, prose } from "../pages/html.ts";
import { type Entry, type Parameter, type Response, resolve, type Schema } from "./document.ts";
import { notesOf, schemaTable, typeOf } from "./schema-table.ts";

/** Renders one operation: its purpose, its request, its answers, and samples to try it. */
export function operationSection(document: OpenApiDocument, entry: Entry): Html {
  const { operation } = entry;
  // The section has no name of its own, because two operations may share a title and landmarks must
  // not.
  return html`<section class="operation">
<h3 id="${operation.operationId}">${operation.summary}</h3>
<p class="address"><span class="method">${entry.method}</span> <code>${addressWords(entry)}</code></p>
${prose(operation.description)}
${credentials(entry)}
${parametersTable(document, entry)}
${bodyTable(document, entry)}
${entry.isWebhook ? exampleBlock("Example", bodyOf(entry)?.example) : samples(entry)}
${successPart(document, entry)}
${errorsPart(document, entry)}
</section>`;
}

const addressWords = (entry: Entry): string =>
  entry.isWebhook ? "your webhook endpoint" : `/v1${entry.path}`;

const bodyOf = (entry: Entry) => entry.operation.requestBody?.content["application/json"];

function credentials({ operation, isWebhook }: Entry): Html {
  const [security] = operation.security;
  if (isWebhook) return NOTHING;
  if (!security) return html`<p class="credentials">Needs no credentials.</p>`;
  const words =
    "apiKey" in security
      ? "Your server's credentials: `x-api-key` and `x-client-id`."
      : "The session's public token: `Authorization: Bearer <accessToken>`.";
  return html`<p class="credentials">${inline(words)}</p>`;
}

function parametersTable(document: OpenApiDocument, { operation }: Entry): Html {
  const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
  if (parameters.length === 0) return NOTHING;
  return html`<h4>Parameters</h4>
<div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${parameters.map((one) => parameterRow(document, one))}</tbody></table></div>`;
}

function parameterRow(document: OpenApiDocument, parameter: Parameter): Html {
  const schema: Schema = resolve(document, parameter.schema);
  const need = parameter.required ? NOTHING : html` <span class="optional">optional</span>`;
  const notes = notesOf({ ...schema, description: parameter.description ?? "" });
  return html`<tr><th scope="row"><code>${parameter.name}</code>${need}</th>
<td>${parameter.in}</td><td>${typeOf(document, schema)}</td><td>${notes}</td></tr>`;
}

function bodyTable(document: OpenApiDocument, entry: Entry): Html {
  const media = bodyOf(entry);
  return media ? html`<h4>Body</h4>${schemaTable(document, media.schema)}` : NOTHING;
}

/** The samples are tabs: a browser keeps one of the same name open and closes the others. */
function samples({ operation }: Entry): Html {
  const all = (operation["x-codeSamples"] ?? []).map(
    ({ label, source }, index) =>
      html`<details name="samples-${operation.operationId}" data-language="${label}"${index === 0 ? OPEN : NOTHING}>
<summary>${label}</summary>${code(source)}</details>`,
  );
  return html`<h4>Try it</h4><div class="samples">${all}</div>`;
}

const OPEN = new Html(" open");

function successPart(document: OpenApiDocument, { operation, isWebhook }: Entry): Html {
  const found = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  if (!found || isWebhook) return NOTHING;
  const [status, response] = found;
  const media = response.content?.["application/json"];
  const fields = media
    ? html`<details><summary>Fields of the answer</summary>${schemaTable(document, media.schema)}</details>`
    : NOTHING;
  return html`<h4>Answer <code>${status}</code></h4>${fields}${exampleBlock("Example", media?.example)}`;
}

function exampleBlock(title: string, example: unknown): Html {
  if (example === undefined) return NOTHING;
  return html`<details><summary>${title}</summary>${code(JSON.stringify(example, null, 2))}</details>`;
}

const code = (text: string): Html =>
  html`<pre class="scroll" tabindex="0"><code>${text}</code></pre>`;

function errorsPart(document: OpenApiDocument, { operation, isWebhook }: Entry): Html {
  const errors = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status));
  if (isWebhook || errors.length === 0) return NOTHING;
  const rows = errors.map(([status, response]) => errorRow(status, resolve(document, response)));
  return html`<details><summary>Errors</summary>
<div class="scroll" tabindex="0" role="group" aria-label="Errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Codes</th></tr></thead>
<tbody>${rows}</tbody></table></div></details>`;
}

function errorRow(status: string, response: Response): Html {
  const codes = Object.keys(response.content?.["application/json"]?.examples ?? {});
  const links = codes.map((one) => html`<a href="#error-${one}"><code>${one}</code></a> `);
  return html`<tr><th scope="row"><code>${status}</code></th><td>${response.description}</td>
<td>${links}</td></tr>`;
}
