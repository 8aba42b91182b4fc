import { type Html, html } from "./html.ts";

/** Everything that the page and the shop's server hear, as it comes. */
export const eventLog = (
  eventsEmpty = "Nothing yet. Start a checkout.",
): Html => html`<aside class="log" aria-labelledby="log-title" lang="en" dir="ltr">
  <h2 id="log-title">Event log</h2>
  <section class="card" aria-labelledby="webhooks-title">
    <h3 id="webhooks-title">Webhooks at the server</h3>
    <p class="hint">They decide. Only a verified one marks a purchase paid.</p>
    <p class="empty">Nothing yet. They arrive when an order is placed.</p>
    <ol id="webhooks" class="entries"></ol>
  </section>
  <section class="card" aria-labelledby="events-title">
    <h3 id="events-title">Events in the page</h3>
    <p class="hint">Hints for how your page looks: <code>exchange.on("*", listener)</code>.</p>
    <p class="empty">${eventsEmpty}</p>
    <ol id="sdk-events" class="entries"></ol>
  </section>
</aside>`;
