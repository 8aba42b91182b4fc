import type { FrameLocator, Locator, Page } from "playwright-core";
import { BITCOIN_ADDRESS } from "../orders/purchase.ts";

/** Screens in the order a customer meets them, by their headings. */
export const SCREENS = {
  amount: /^(Buy|Sell|Swap|Exchange) /,
  method: /^How do you want to pay/,
  delivery: /^How should (we pay you|the recipient get the money)/,
  wallet: /^Where should we send/,
  payout: /^(Where should we pay you|Who gets the money)/,
  card: /^Your card/,
  review: /^Check your order/,
  challenge: /^Confirm with your bank/,
  instructions: /^(Transfer .*\d|Send your \w+ now)/,
  going: /^(Order received|Payment (received|approved)|Sending your |Paying out )/,
  underpaid: /^Some of your payment is missing/,
  cancelled: /^Your order was cancelled/,
  expired: /^Your order has expired/,
  inReview: /^We.re reviewing your order/,
  done: /\d(\s\w+)?\s(sent|paid out)$/,
  unconfirmed: /^Your bank couldn't confirm it was you/,
  refunded: /^Your money was sent back/,
  declined: /^Your bank declined the payment/,
} as const;
export type Screen = keyof typeof SCREENS;

/** A screen, and what the customer does on it before they continue. */
type Step = readonly [Screen, () => Promise<void>];

type Contents = Pick<
  FrameLocator,
  "getByRole" | "getByText" | "getByLabel" | "locator" | "frameLocator"
>;

/** The popup as a customer uses it: by roles and labels, nothing else. */
export class CheckoutPage {
  readonly page: Page;
  readonly frame: Contents;

  /** The checkout is in the shop's dialog, unless `contents` is a page of its own. */
  constructor(page: Page, contents: Contents = page.frameLocator("[data-exchange] iframe")) {
    this.page = page;
    this.frame = contents;
  }

  async see(screen: Screen): Promise<void> {
    await this.frame.getByRole("heading", { level: 1, name: SCREENS[screen] }).waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  async continue(): Promise<void> {
    await this.pressUntilHeard(this.button("Continue"));
  }

  /**
   * Presses a button, again while the page does not hear it. Chromium drops a press in a frame of another site that moved
   * or grew within the last half second (DiscardInputEventsToRecentlyMovedFrames).
   */
  private async pressUntilHeard(button: Locator): Promise<void> {
    if (new URL(this.page.url()).hostname === "localhost") return button.click();
    const body = this.frame.locator("body");
    await body.evaluate((_body) => {
      const hear = (): void => void Object.assign(window, { isHeard: true });
      Object.assign(window, { isHeard: false });
      window.addEventListener("click", hear, { capture: true, once: true });
    });
    const isHeard = () => body.evaluate(() => Reflect.get(window, "isHeard") !== false);
    do await button.click();
    while (!(await isHeard()));
  }

  /** Waits for a price, since Continue does nothing without one. */
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
    await frame.getByLabel("Country").selectOption("CA");
    await frame.getByLabel("Postal code").fill("M5V 2T6");
  }

  /** Presses Tab until the field or button with this label has the focus. */
  async tabTo(label: string | RegExp): Promise<void> {
    const target = this.frame.getByLabel(label).or(this.button(label)).first();
    await target.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${label}`);
  }

  async press(label: string | RegExp): Promise<void> {
    await this.tabTo(label);
    await this.page.keyboard.press("Enter");
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    await this.tabTo(label);
    await this.page.keyboard.type(text);
  }

  /** Walks a group of radio buttons with the arrow keys, from the one that is chosen. */
  async choose(name: string | RegExp): Promise<void> {
    const target = this.frame.getByRole("radio", { name });
    const chosen = this.frame.locator("input[type=radio]:checked").first();
    for (let presses = 0; presses < 60; presses++) {
      if (await chosen.evaluate((element) => element === document.activeElement)) break;
      await this.page.keyboard.press("Tab");
    }
    for (let presses = 0; presses < 20; presses++) {
      if (await target.isChecked()) return;
      await this.page.keyboard.press("ArrowDown");
    }
    throw new Error(`the arrow keys do not reach ${name}`);
  }

  /** Returns the order's number, as the page shows it. */
  async orderNumber(): Promise<number> {
    const row = this.frame.locator("div", { has: this.frame.getByText("Order number") });
    return Number(/\d{6,}/.exec(await row.last().innerText())?.[0]);
  }

  /** Pays. The button says so where a price that became worse is accepted with it. */
  async pay(): Promise<void> {
    await this.pressUntilHeard(this.button(/^(Accept and pay|Pay) /));
  }

  /** Whether the shop fixed the whole exchange: its first screen is the address. */
  async isFixed(): Promise<boolean> {
    const heading = this.frame.getByRole("heading", { level: 1 });
    const first = heading.filter({ hasText: /^(Buy|Where should we send)/ });
    await first.waitFor();
    return SCREENS.wallet.test(await first.innerText());
  }

  /** Walks from the first screen to the last one, and calls `onScreen` on each. */
  async goTo(
    last: Screen,
    number: string,
    onScreen: (screen: Screen) => Promise<void> = async () => {},
  ): Promise<void> {
    const wallet: Step = ["wallet", () => this.typeAddress()];
    const card = () => this.typeCard(number);
    const steps: readonly Step[] = (await this.isFixed())
      ? [wallet, ["review", card]]
      : [
          ["amount", () => this.seePrice()],
          ["method", async () => {}],
          wallet,
          ["card", card],
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
