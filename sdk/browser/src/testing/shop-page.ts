const SHOP_BODY = `<main><h1>Shop</h1><button id="pay">Pay</button> <a href="#terms">Terms</a>
<p>Long page</p></main>`;

/** Pages that would break a dialog outside the top layer or within reach of their styles. */
const LOOKS: Readonly<Record<string, string>> = {
  hidden: "html, body { overflow: hidden }",
  moved: "body { transform: translateX(40px) rotate(3deg); filter: blur(1px) }",
  above: "main { position: fixed; inset: 0; z-index: 2147483647; background: gold }",
  unset: "* { all: unset !important } div, dialog, iframe { display: none !important }",
};

/**
 * The smallest page of a shop. Its query varies it: `module`, `twice`, `early` (opens before the
 * body exists), `pinned`, `stub` (calls before the script), `look`, `narrow` (no viewport meta).
 */
export function shopPage(serviceUrl: string, query: URLSearchParams): string {
  const clientId = query.get("clientId") ?? "client_dev_1";
  const type = query.has("module") ? ' type="module" crossorigin' : "";
  const address = `${serviceUrl}/sdk/exchange.js`;
  const tag = (client: string): string =>
    `<script${type} src="${address}${query.has("pinned") ? "" : `?clientId=${client}`}"></script>`;
  const second = query.get("twice");
  const scripts = tag(clientId) + (second === null ? "" : tag(second || clientId));
  const look = LOOKS[query.get("look") ?? ""];
  return `<!doctype html><html lang="en"><head><title>Shop</title>
${query.has("narrow") ? "" : '<meta name="viewport" content="width=device-width, initial-scale=1">'}
${look ? `<style>${look}</style>` : ""}${query.has("stub") ? `<script>${STUB}</script>` : ""}${scripts}
<script${type} src="/shop.js"></script>${query.has("early") ? '<script src="/early.js"></script>' : ""}
</head><body>${SHOP_BODY}</body></html>`;
}

/** The guide's stub for calls before the script is loaded, and a queued opening. */
const STUB = `window.exchange ||= { q: [] };
for (const name of ["configure", "on", "init"]) {
  exchange[name] ||= (...args) => void exchange.q.push([name, args]);
}
window.early = [];
exchange.on("open", ({ name }) => early.push(name));
exchange.init({ authenticationToken: "queued.token", display: "popup" });`;

/** Opens on a click like a real shop, as its address asks. The test reads the rest. */
export const SHOP_SCRIPT = `
window.results = []; window.events = []; window.domEvents = []; window.violations = []; window.promises = [];
window.called = []; window.options = {};
document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
const display = new URLSearchParams(location.search).get("display");
if (new URLSearchParams(location.search).has("pinned")) exchange.configure({ clientId: "client_dev_1", env: "dev" });
exchange.on("*", (event) => events.push(event));
for (const name of ["open", "ready", "orderPlaced", "close"]) {
  document.addEventListener("exchange:" + name, (event) => domEvents.push(event.detail.name));
}
window.open_ = (more) => {
  const promise = exchange.init({ authenticationToken: "secret.public.token", ...(display && { display }), ...options, ...more });
  promises.push(promise);
  promise.then((result) => results.push(result));
  return promise;
};
document.addEventListener("click", ({ target }) => {
  if (target.id === "pay") open_();
});`;

/** `closed` blocks the frame, `formless` the form. Neither allows more than it must. */
export const strictPolicy = (serviceUrl: string, policy: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${serviceUrl}`,
    "style-src 'self'",
    `frame-src ${policy === "closed" ? "'none'" : serviceUrl}`,
    `form-action ${policy === "formless" ? "'none'" : serviceUrl}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
