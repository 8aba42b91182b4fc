import { wordsIn } from "../page/words.ts";
import { readReturn } from "../return-page.ts";
import type { Settings } from "../settings.ts";
import { codeSection } from "./code-section.ts";
import { eventLog } from "./event-log.ts";
import { RETURN_CODE } from "./example-code.ts";
import { html } from "./html.ts";
import { renderFrame } from "./layout.ts";
import { purchasePanel } from "./purchase-panel.ts";
import { pageTag } from "./script-tags.ts";

/** `GET /return`: where a customer comes back to from a checkout that had the whole window. */
export function renderReturned(settings: Settings, query: URLSearchParams): string {
  const { sentence, sessionId, orderId } = readReturn(query);
  const order = orderId !== undefined && html` Its number is <strong>${orderId}</strong>.`;
  return renderFrame({
    path: "/examples/redirect",
    title: "Welcome back",
    language: "en",
    theme: "auto",
    skip: "Skip to your purchase",
    data: { clientId: settings.clientId, env: settings.environment, session: sessionId },
    scripts: pageTag(),
    main: html`
  <section class="intro">
    <h1>Welcome back</h1>
    <p>${sentence}${order}</p>
    <p class="hint">That is what the address of this page says, and anybody can type an address. The goods
      are released only by the webhook: below is what the shop's server knows.</p>
  </section>
  <div class="card summary">${purchasePanel(wordsIn("en"), false)}
    <p><a href="/examples/redirect">Back to the shop</a></p>
  </div>`,
    rest: html`${eventLog("None here: the checkout had the window to itself.")}${codeSection(RETURN_CODE)}`,
  });
}
