import type { CheckoutOrderData, OperationType } from "@exchange/contract";
import type { Page } from "playwright-core";
import { BITCOIN_ADDRESS, ok, session } from "../answers.ts";
import type { Answers, Opening } from "../checkout.ts";

export interface Stage {
  readonly page: Page;
  /** Takes the picture of a screen. */
  shoot(name: string): Promise<void>;
  /** Takes the picture of a state of a screen that already has a picture. */
  shootState(name: string): Promise<void>;
  /** Replaces some of the service's answers. */
  answer(answers: Answers): void;
}

/** A way through the checkout. It finds elements by structure, not by words, so it runs in every language. */
export interface Scene extends Opening {
  /** The name by which `npm run visual -- --open` serves it. */
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

export const EUR_FOR_BTC = { baseAmount: 100 } as const;

/** Locks the session to one operation, as a merchant's server can. */
export const inOperation = (operationType: OperationType): Answers => ({
  "GET /session": () => ok(session({ lock: { operationType } })),
});

/** An announcement is on the page for seconds only. `said` returns those that this script kept. */
export const KEEP_ANNOUNCEMENTS = `{
  window.said = [];
  new MutationObserver(() => {
    const text = document.querySelector("[data-announcer]")?.textContent ?? "";
    if (text !== (said.at(-1) ?? "")) said.push(text);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}`;

export const said = (page: Page): Promise<string[]> => page.evaluate<string[]>("said");

export const next = (page: Page) => page.locator(".main .main-button").click();
export const see = (page: Page, selector: string) => page.locator(selector).first().waitFor();

export async function seePrice(page: Page): Promise<void> {
  await see(page, ".price-line .price");
  await see(page, ".price-line[aria-busy=false]");
}

/** Waits for a list of methods whose results are compared. */
export async function seeChoices(page: Page): Promise<void> {
  await see(page, ".choices");
  await page.locator(".choice-pending").first().waitFor({ state: "detached" });
}

export async function toMethod(page: Page): Promise<void> {
  await seePrice(page);
  await next(page);
  await seeChoices(page);
}

export async function toWallet(page: Page): Promise<void> {
  await toMethod(page);
  await next(page);
  await see(page, "#wallet-address");
}

export async function toCard(page: Page): Promise<void> {
  await toWallet(page);
  await typeAddress(page);
  await next(page);
  await see(page, "#card-number");
}

export async function typeAddress(page: Page, address = BITCOIN_ADDRESS): Promise<void> {
  await page.locator("#wallet-address").fill(address);
  await see(page, ".check .good");
}

export async function fillTestCard(page: Page, index = 0): Promise<void> {
  await page.locator("#test-card").selectOption({ index });
  await page.locator(".sandbox-line .quiet-button").click();
}

export async function toReview(page: Page): Promise<void> {
  await toCard(page);
  await fillTestCard(page);
  await next(page);
  await see(page, ".headline");
}

/** Answers of a checkout that opens on its order. */
export function withOrder(order: CheckoutOrderData): Answers {
  const { orderId, operationType } = order;
  const opened = session({ orderId, status: "expired", lock: { operationType } });
  return {
    "GET /session": () => ok(opened),
    "GET /orders/:id": () => ok(order),
    "GET /orders/:id/events": () => ({ events: [order] }),
  };
}

interface OrderScreen {
  readonly order: CheckoutOrderData;
  /** Selects the part of the screen that is drawn last. */
  readonly until?: string;
}

/** The screen of an order for a customer who comes back to it. */
export const orderScene = (name: string, { order, until = ".outcome" }: OrderScreen): Scene => ({
  name,
  answers: withOrder(order),
  async play({ page, shoot }) {
    await see(page, until);
    await shoot(name);
  },
});
