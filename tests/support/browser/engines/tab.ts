import axe from "axe-core";
import { AXE_TAGS, finishMoving } from "../axe.ts";
import { type Driver, DriverError } from "./driver.ts";

export const KEYS = {
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Escape: "\uE00C",
  ArrowDown: "\uE015",
} as const;
export type Key = keyof typeof KEYS;

const FIND_CHECKOUT =
  'return document.querySelector("[data-exchange]")?.shadowRoot?.querySelector("iframe") ?? null';
const FIND_FOCUSED_CHECKOUT =
  'return document.activeElement?.shadowRoot?.querySelector("iframe") ?? null';

/** One tab of a browser with a merchant's page. A test presses its keys and reads it or its checkout. */
export class EngineTab {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  async goTo(address: string): Promise<void> {
    await this.#driver.send("SwitchToFrame", { id: null });
    await this.#driver.send("Navigate", { url: address });
  }

  /** Runs a function in the merchant's page. It may use nothing but its arguments. */
  async ask<Args extends readonly unknown[], T>(
    run: (...args: Args) => T,
    ...args: Args
  ): Promise<T> {
    await this.#driver.send("SwitchToFrame", { id: null });
    return this.#execute(run, args);
  }

  /** Runs a function in the checkout's document. Returns undefined while there is no checkout. */
  async askCheckout<Args extends readonly unknown[], T>(
    run: (...args: Args) => T,
    ...args: Args
  ): Promise<T | undefined> {
    try {
      const inside = await this.#enterCheckout();
      return inside ? await this.#execute(run, args) : undefined;
    } catch (error) {
      // The frame may be loading its next document.
      const isLoading = error instanceof DriverError && /^no such (frame|window)$/.test(error.name);
      if (isLoading) return undefined;
      throw error;
    }
  }

  /** Returns what axe finds wrong in the checkout, as sentences. */
  async axeFaults(): Promise<readonly string[]> {
    await this.#enterCheckout();
    // WebDriver runs its scripts whatever the page's policy says.
    const search = "axe.run(document, { runOnly: arguments[0] })";
    const script = `${axe.source}; return (${finishMoving.toString()})().then(() => ${search});`;
    const run = await this.#driver.send("ExecuteScript", { script, args: [AXE_TAGS] });
    return (run as axe.AxeResults).violations.map(({ id, help }) => `${id}: ${help}`);
  }

  /** Returns the name of the focused element in the checkout: its label, or else its text. */
  async focusedName(): Promise<string> {
    const name = await this.askCheckout(() => {
      const focused = document.activeElement as HTMLInputElement | null;
      const label = focused?.labels?.[0]?.textContent ?? focused?.getAttribute("aria-label");
      return label ?? focused?.textContent;
    });
    return name?.trim() ?? "";
  }

  /** Presses keys together: `press("Shift", "Tab")`. */
  press(...keys: readonly Key[]): Promise<void> {
    const values = keys.map((key) => KEYS[key]);
    return this.#press([
      ...values.map((value) => ({ type: "keyDown", value })),
      ...values.toReversed().map((value) => ({ type: "keyUp", value })),
    ]);
  }

  type(text: string): Promise<void> {
    const strokes = text.split("").flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    return this.#press(strokes);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #enterCheckout(find = FIND_CHECKOUT): Promise<boolean> {
    await this.#driver.send("SwitchToFrame", { id: null });
    const frame = await this.#driver.send("ExecuteScript", { script: find, args: [] });
    if (frame === null) return false;
    await this.#driver.send("SwitchToFrame", { id: frame });
    return true;
  }

  async #execute<T>(run: (...args: never) => T, args: readonly unknown[]): Promise<T> {
    const script = `return (${run.toString()}).apply(null, arguments)`;
    return (await this.#driver.send("ExecuteScript", { script, args })) as T;
  }

  async #press(actions: readonly object[]): Promise<void> {
    // WebDriver presses keys in one document; a person's keys go to the one that has the focus.
    const inside = await this.#enterCheckout(FIND_FOCUSED_CHECKOUT);
    const keyboard = { type: "key", id: "keyboard", actions };
    try {
      await this.#driver.send("PerformActions", { actions: [keyboard] });
    } catch (error) {
      // The key that closes the checkout removes the document in which it would be released.
      const isGone = error instanceof DriverError && error.name === "no such window";
      if (!inside || !isGone) throw error;
    }
  }
}
