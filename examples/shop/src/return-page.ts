import { RETURN_CODE } from "./demo/code.ts";
import { html } from "./demo/html.ts";
import { developerHalf, purchasePanel, renderPage } from "./demo/layout.ts";
import { pageTag } from "./demo/pages.ts";
import type { Settings } from "./settings.ts";

// #region return
const SENTENCES = new Map([
  ["paid", "Thank you. Your payment is complete."],
  ["pending", "Thank you. Your order waits for your payment."],
  ["declined", "Your card was declined. You were not charged. You can try another card."],
  ["closed", "Checkout was closed without a new order. Nothing was charged."],
  ["failed", "Checkout could not be finished. You can try again."],
]);

/**
 * Reads the address that a customer comes back to. It is a hint for the words on the page: anybody
 * can type it. Release goods only when the signed webhook arrives.
 */
function readReturn(query: Readonly<Record<string, unknown>>) {
  const sentence = SENTENCES.get(String(query["exchange_outcome"]));
  const sessionId = String(query["exchange_session"]);
  const orderId = String(query["exchange_order"]);
  return {
    sentence: sentence ?? "There is no checkout to come back from.",
    sessionId: /^shop-[\w-]{1,64}$/.test(sessionId) ? sessionId : undefined,
    orderId: /^\d{1,16}$/.test(orderId) ? orderId : undefined,
  };
}
// #endregion

/** `GET /return`: the page after a checkout that had the whole window. */
export function renderReturnPage(
  { clientId, environment, testNode }: Settings,
  query: Readonly<Record<string, unknown>>,
): string {
  const { sentence, sessionId, orderId } = readReturn(query);
  const order = orderId !== undefined && html` Its number is <strong>${orderId}</strong>.`;
  return renderPage({
    path: "/examples/redirect",
    title: "Welcome back",
    language: "en",
    theme: "auto",
    skip: "Skip to your purchase",
    data: { clientId, env: environment, session: sessionId },
    hasTestWallet: testNode !== undefined,
    scripts: pageTag(),
    main: html`
  <section class="intro">
    <h1>Welcome back</h1>
    <p>${sentence}${order}</p>
    <p class="hint">That is what the address of this page says, and anybody can type an address. The goods
      are released only by the webhook: below is what the shop's server knows.</p>
  </section>
  <div class="card summary">${purchasePanel({})}
    <p><a href="/examples/redirect">Back to the shop</a></p>
  </div>`,
    developer: developerHalf(RETURN_CODE, "None here: the checkout had the window to itself."),
  });
}
