import { BITCOIN_ADDRESS } from "../orders/purchase.ts";
import type { Screen } from "./checkout-page.ts";

/** The popup used by keyboard, in any browser. */
export interface KeyboardCheckout {
  see(screen: Screen): Promise<void>;
  seePrice(): Promise<void>;
  /** Presses Tab until the button has the focus, then Enter. */
  press(label: string | RegExp): Promise<void>;
  /** Presses Tab until the field has the focus, then the letters. */
  type(label: string | RegExp, text: string): Promise<void>;
}

/** Buys by card with Tab, Enter and letters. */
export async function buyByKeys(checkout: KeyboardCheckout, card: string): Promise<void> {
  await checkout.see("amount");
  await checkout.seePrice();
  await checkout.press("Continue");
  await checkout.see("method");
  await checkout.press("Continue");
  await checkout.see("wallet");
  await checkout.type(/^Your \w+ address$/, BITCOIN_ADDRESS);
  await checkout.press("Continue");
  await checkout.see("card");
  await typeCardByKeys(checkout, card);
  await checkout.press("Continue");
  await checkout.see("review");
  await checkout.press(/^(Accept and pay|Pay) /);
}

/** Types a card and its billing address with Tab and letters. */
export async function typeCardByKeys(checkout: KeyboardCheckout, card: string): Promise<void> {
  await checkout.type("Card number", card);
  await checkout.type("Expiry date", "1240");
  await checkout.type("Security code", "123");
  await checkout.type("Name on card", "Ada Lovelace");
  await checkout.type("Country", "Canada");
  await checkout.type("Postal code", "M5V 2T6");
}
