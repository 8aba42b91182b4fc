import type { OrderData } from "@exchange/contract";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { EngineCheckout } from "../support/browser/engines/engine-checkout.ts";
import { absentEngines, openTab, presentEngines } from "../support/browser/engines/engines.ts";
import type { EngineTab } from "../support/browser/engines/tab.ts";
import { buyByKeys, typeCardByKeys } from "../support/browser/purchase-by-keys.ts";
import { type ShopPage, startShopPage } from "../support/browser/shop-page.ts";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  CARDS,
  type Customer,
  type Ok,
  startSession,
} from "../support/orders/purchase.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const service = inject("service");
let shop: ShopPage;
let merchant: Merchant;
let receiver: Receiver;

beforeAll(async () => {
  shop = await startShopPage(service, "127.0.0.1");
  merchant = await createMerchant(service, shop.origin);
  receiver = await startReceiver();
  await addWebhook(service, merchant, receiver);
});
afterAll(async () => {
  shop.close();
  await receiver.close();
});

test.for(absentEngines)("the popup in $name", ({ variable }, { skip }) => {
  skip(`it is not on this machine: ${variable} is not set`);
});

describe.each(presentEngines)("the popup in $name", (engine) => {
  let tab: EngineTab;
  let checkout: EngineCheckout;
  beforeAll(async () => {
    tab = await openTab(engine);
    checkout = new EngineCheckout(tab);
  });
  afterAll(() => tab.close());

  /** Opens the popup by keyboard, and waits until it is ready. */
  async function open(lock?: object): Promise<Customer> {
    const customer = await startSession(service, merchant, newSessionId(), lock);
    await tab.goTo(shop.addressFor(merchant.clientId, customer.token));
    await tab.press("Tab");
    await tab.press("Enter");
    await vi.waitUntil(async () => ((await state()) === "open" ? true : undefined), {
      timeout: 60_000,
    });
    await checkout.see(lock ? "wallet" : "amount");
    return customer;
  }

  const state = () => tab.ask(() => window.exchange.state);

  test("a modal dialog opens, and the token reaches it over the port alone", async () => {
    const { token } = await open();
    const shown = await tab.ask(() => {
      const dialog = document.querySelector("[data-exchange]")?.shadowRoot?.querySelector("dialog");
      return { isModal: dialog?.matches(":modal"), name: dialog?.ariaLabel, posted: window.posted };
    });
    expect(shown).toMatchObject({ isModal: true, name: expect.stringMatching(/^Buy /) });
    expect(shown.posted.length).toBeGreaterThan(0);
    for (const { data, origin } of shown.posted) {
      expect(data).toMatchObject({ protocol: "exchange.v1", type: "hello" });
      expect(origin).toBe(service.url);
    }
    const addresses = await tab.askCheckout(() => [
      location.href,
      document.referrer,
      ...performance.getEntries().map(({ name }) => name),
    ]);
    expect(JSON.stringify([shown.posted, addresses])).not.toContain(token);
    const opener = encodeURIComponent(shop.origin);
    expect(addresses?.[0]).toBe(
      `${service.url}/checkout?clientId=${merchant.clientId}&mode=modal&origin=${opener}&theme=light+dark`,
    );
  });

  test("Tab and Shift+Tab never reach the shop", async () => {
    await open();
    const reached = new Set<string | undefined>();
    for (let press = 0; press < 30; press += 1) {
      await (press % 10 < 7 ? tab.press("Tab") : tab.press("Shift", "Tab"));
      reached.add(
        await tab.ask(() => document.activeElement?.id || document.activeElement?.tagName),
      );
    }
    expect(reached).not.toContain("buy");
  });

  test("Escape closes it, and the focus goes back to the button", async () => {
    await open();
    await tab.press("Escape");
    await vi.waitUntil(async () => ((await state()) === "idle" ? true : undefined), {
      timeout: 60_000,
    });
    const left = await tab.ask(() => ({
      results: window.results,
      focused: document.activeElement?.id,
      dialogs: document.querySelectorAll("[data-exchange]").length,
    }));
    expect(left).toEqual({
      results: [{ outcome: "closed", reason: "escape" }],
      focused: "buy",
      dialogs: 0,
    });
  });

  test("Back goes one step back, and closes it on the first step", async () => {
    await open();
    await checkout.seePrice();
    await checkout.press("Continue");
    await checkout.see("method");
    await tab.ask(() => history.back());
    await checkout.see("amount");
    await tab.ask(() => history.back());
    await vi.waitUntil(async () => ((await state()) === "idle" ? true : undefined), {
      timeout: 60_000,
    });
    expect(await tab.ask(() => window.results)).toEqual([{ outcome: "closed", reason: "back" }]);
  });

  test("a fixed purchase has two screens by keys, and nothing on them that axe finds wrong", async () => {
    const terms = { baseCurrency: "cad", baseAmount: 100, targetCurrency: "btc" };
    await open({ operationType: "B", ...terms });
    expect(await tab.axeFaults()).toEqual([]);
    await checkout.type(/^Your \w+ address$/, BITCOIN_ADDRESS);
    await checkout.press("Continue");
    await checkout.see("review");
    expect(await tab.axeFaults()).toEqual([]);
    await typeCardByKeys(checkout, CARDS.visa);
    await checkout.press(/^Pay /);
    await checkout.see("done");
  });

  test("a whole purchase by keys is completed, and the webhook tells the shop", async () => {
    const customer = await open();
    expect(await tab.axeFaults()).toEqual([]);
    await buyByKeys(checkout, CARDS.visa);
    await checkout.see("done");
    const session = await customer.call<Ok<{ orderId: number }>>({ path: "/v1/checkout/session" });
    const { orderId } = session.body.data;
    const path = `/v1/orders/${orderId}`;
    const order = await merchantCall<Ok<OrderData>>(service, merchant, { path });
    expect(order.body.data.status).toBe("completed");
    const webhook = await vi.waitUntil(
      () =>
        receiver.received
          .map(({ body }) => JSON.parse(body))
          .find(
            ({ eventType, sessionId }) =>
              eventType === "OrderFulfillment" && sessionId === customer.sessionId,
          ),
      { timeout: 60_000 },
    );
    expect(webhook).toMatchObject({ details: { orderId } });
    await checkout.press("Done");
    await vi.waitUntil(async () => ((await state()) === "idle" ? true : undefined), {
      timeout: 60_000,
    });
    expect(await tab.ask(() => window.results)).toMatchObject([
      { outcome: "paid", order: { orderId } },
    ]);
  });
});
