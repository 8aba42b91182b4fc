import type { Words } from "../page/words.ts";
import { type Html, html } from "./html.ts";

/** What the shop's server knows of the purchase; filled by the page's script. */
export const purchasePanel = (words: Words, keepsSession: boolean): Html => html`
      <p id="notice" class="notice" role="alert"></p>
      <p id="hint" class="hint" role="status"></p>
      <section id="purchase" aria-labelledby="purchase-title" hidden>
        <h2 id="purchase-title">${words.purchase}</h2>
        <p id="purchase-status" class="status" role="status"></p>
        <ol class="steps" id="purchase-steps">
          <li data-step="waiting_for_payment">${words.started}</li>
          <li data-step="order_placed">${words.placed}</li>
          <li data-step="paid">${words.paid.B}</li>
        </ol>
        <p class="hint"><span id="purchase-product"></span> · ${words.session} <code id="purchase-session" dir="ltr"></code></p>
        <div id="simulate" class="again" hidden>
          <p class="hint">${words.simulateHint}</p>
          <button id="simulate-payment" type="button">${words.simulate}</button>
        </div>
        <div id="again" class="again" hidden>
          ${keepsSession && html`<button id="open-again" type="button">${words.again}</button>`}
          <button id="new-purchase" type="button">${words.newPurchase}</button>
        </div>
      </section>`;
