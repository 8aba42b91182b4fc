import { buildOpenApiDocument } from "@exchange/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import {
  makeRepresentation,
  type Representation,
  readFolder,
  sendRepresentation,
} from "../representation.ts";
import { JSON_TYPE } from "../wire.ts";
import {
  type Page,
  type Placeholders,
  readAgentIndex,
  readLibrary,
  readPicture,
} from "./library.ts";
import { renderHome, renderPage, searchIndex } from "./page.ts";
import { postmanCollection } from "./postman.ts";
import { renderReference } from "./reference.ts";
import { addCodeSamples, readKeyExpression, type SampleMerchant } from "./samples.ts";

const HTML_TYPE = "text/html; charset=utf-8";
const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const REVALIDATE = { "cache-control": "public, max-age=0, must-revalidate" } as const;
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Styles and scripts of the documents. The relative path is the same from src and from dist. */
const FILES = new URL("../../../public/docs/", import.meta.url);

/** Registers the OpenAPI document, the API reference and the pages of `docs/`. */
export function registerDocuments(app: FastifyInstance, deps: Deps): void {
  const { publicUrl } = deps;
  const reference = makeReference(deps);
  app.get("/v1/openapi.json", (request, reply) =>
    sendRepresentation({ request, reply }, reference().json, REVALIDATE),
  );
  const documents = makeDocuments(() => placeholdersOf(deps));
  const send = (exchange: Exchange, found: Representation | undefined) => {
    if (!found)
      throw new Refusal("NOT_FOUND", { message: "There is no such page. All pages: /docs" });
    const isPage = found.contentType === HTML_TYPE;
    const policy = isPage ? { "content-security-policy": POLICY } : {};
    return sendRepresentation(exchange, found, { ...REVALIDATE, ...policy });
  };
  const agents = makeRepresentation(readAgentIndex(publicUrl), "text/plain; charset=utf-8");
  app.get("/llms.txt", (request, reply) => send({ request, reply }, agents));
  app.get("/docs", (request, reply) => send({ request, reply }, documents("")));
  app.get("/docs/api", (request, reply) => send({ request, reply }, reference().page));
  app.get("/docs/postman.json", (request, reply) => send({ request, reply }, reference().postman));
  app.get("/docs/pictures/:look/:screen", (request, reply) => {
    const { look, screen } = request.params as { look: string; screen: string };
    const picture = readPicture(look, screen);
    return send({ request, reply }, picture && makeRepresentation(picture, "image/png"));
  });
  app.get("/docs/*", (request, reply) => {
    const { "*": name } = request.params as { "*": string };
    return send({ request, reply }, documents(name));
  });
  for (const [name, file] of readFolder(FILES)) {
    app.get(`/docs/${name}`, (request, reply) => send({ request, reply }, file));
  }
}

/** Renders the OpenAPI document and its page at the first request for one: every process would start later. */
function makeReference(deps: Deps) {
  const { publicUrl, environment, cardProcessor } = deps;
  const render = () => {
    const takesCards = cardProcessor?.tokens !== undefined;
    const plain = buildOpenApiDocument({ publicUrl, environment, takesCards });
    const merchant = merchantOf(deps);
    const document = addCodeSamples(plain, merchant);
    return {
      json: makeRepresentation(JSON.stringify(document), JSON_TYPE),
      postman: makeRepresentation(
        JSON.stringify(postmanCollection(plain, merchant?.clientId)),
        JSON_TYPE,
      ),
      page: makeRepresentation(renderReference(document, merchant), HTML_TYPE),
    };
  };
  let made: ReturnType<typeof render> | undefined;
  return () => {
    made ??= render();
    return made;
  };
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Returns the demo merchant of a `dev` service, or else its only one, so that samples work as they are copied
 * (docs/decisions/0074-serve-the-documents-from-the-service.md).
 */
function merchantOf({ environment, directory, demo }: Deps): SampleMerchant | undefined {
  if (environment !== "dev") return undefined;
  if (demo) return demo;
  const { listKeyIds, apiKey } = directory();
  const ids = new Set(Array.from(listKeyIds(), (keyId) => apiKey(keyId)?.merchantId));
  const [only] = ids;
  return ids.size === 1 && only !== undefined ? { clientId: only } : undefined;
}

/** The values of the pages. The curl samples of a guide hold the credentials of the demo merchant too. */
function placeholdersOf({ publicUrl, environment, demo }: Deps): Placeholders {
  const base = { "{base_url}": publicUrl };
  if (environment !== "dev" || !demo) return base;
  return {
    ...base,
    "x-client-id: $EXCHANGE_CLIENT_ID": `x-client-id: ${demo.clientId}`,
    "x-api-key: $EXCHANGE_API_KEY": `x-api-key: ${readKeyExpression(demo.keyFile)}`,
  };
}

/** Renders all pages at the first request for one, and each answer once. */
function makeDocuments(readPlaceholders: () => Placeholders) {
  const answers = new Map<string, Representation | undefined>();
  let library: ReadonlyMap<string, Page> | undefined;
  return (name: string): Representation | undefined => {
    library ??= readLibrary(readPlaceholders());
    const made = answers.get(name) ?? render(library, name);
    // Names that lead nowhere are not remembered: strangers choose them.
    if (made) answers.set(name, made);
    return made;
  };
}

function render(library: ReadonlyMap<string, Page>, name: string): Representation | undefined {
  if (name === "") return makeRepresentation(renderHome(library), HTML_TYPE);
  if (name === "search.json") return makeRepresentation(searchIndex(library), JSON_TYPE);
  const page = library.get(name.replace(/\.md$/, ""));
  if (!page) return undefined;
  return name.endsWith(".md")
    ? makeRepresentation(page.markdown, MARKDOWN_TYPE)
    : makeRepresentation(renderPage(page, library), HTML_TYPE);
}
