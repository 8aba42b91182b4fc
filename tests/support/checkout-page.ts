import type { FrameLocator, Locator, Page } from "playwright-core";
import { BITCOIN_ADDRESS } from "./purchase.ts";

/** Screens of a purchase in the order a customer meets them, by the start of their headings. */
export const SCREENS = {
  amount: /^Buy /,
  method: /^How do you want to pay/,
  wallet: /^Where should we send/,
  card: /^Your card/,
  review: /^Check your order/,
  challenge: /^Confirm with your bank/,
  done: /is on its way$/,
  declined: /^Your bank declined the payment/,
} as const;
export type Screen = keyof typeof SCREENS;

/** The popup as a customer uses it: by roles and labels, nothing else. */
export class CheckoutPage {
  readonly page: Page;
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.page = page;
    this.frame = page.frameLocator("[data-exchange] iframe");
  }

  async see(screen: Screen): Promise<void> {
    await this.frame.getByRole("heading", { level: 1, name: SCREENS[screen] }).waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  async continue(): Promise<void> {
    await this.button("Continue").click();
  }

  /** Waits for a price, so that Continue has something to go on with. */
  async seePrice(): Promise<void> {
    await this.frame
      .getByText(/\bfees\b/i)
      .first()
      .waitFor();
  }

  async typeAddress(address = BITCOIN_ADDRESS): Promise<void> {
    await this.frame.getByLabel(/^Your \w+ address$/).fill(address);
  }

  async typeCard(number: string): Promise<void> {
    const { frame } = this;
    await frame.getByLabel("Card number").fill(number);
    await frame.getByLabel("Expiry date").fill("12/40");
    await frame.getByLabel("Security code").fill(number.startsWith("3") ? "1234" : "123");
    await frame.getByLabel("Name on card").fill("Ada Lovelace");
    await frame.getByLabel("Street address").fill("1 Main Street");
    await frame.getByLabel("City").fill("Toronto");
    await frame.getByLabel("Postal code").fill("M5V 2T6");
    await frame.getByLabel("Country").selectOption("CA");
  }

  /** Pays; a price that became worse while we looked is accepted first, as a customer must. */
  async pay(): Promise<void> {
    const accept = this.button("Accept new price");
    if (await accept.isVisible()) await accept.click();
    await this.button(/^Pay /).click();
  }

  /** From the first screen to the one named, calling back on each on the way. */
  async goTo(
    last: Screen,
    number: string,
    onScreen: (screen: Screen) => Promise<void> = async () => {},
  ): Promise<void> {
    const steps: readonly [Screen, () => Promise<void>][] = [
      ["amount", () => this.seePrice()],
      ["method", async () => {}],
      ["wallet", () => this.typeAddress()],
      ["card", () => this.typeCard(number)],
      ["review", async () => {}],
    ];
    for (const [screen, fill] of steps) {
      await this.see(screen);
      await fill();
      await onScreen(screen);
      if (screen === last) return;
      await this.continue();
    }
  }
}
