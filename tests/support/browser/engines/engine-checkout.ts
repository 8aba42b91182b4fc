import { vi } from "vitest";
import { SCREENS, type Screen } from "../checkout-page.ts";
import type { KeyboardCheckout } from "../purchase-by-keys.ts";
import type { EngineTab } from "./tab.ts";

const PRESSES_MAX = 60;

/** The popup in an engine, used by keyboard. */
export class EngineCheckout implements KeyboardCheckout {
  readonly #tab: EngineTab;

  constructor(tab: EngineTab) {
    this.#tab = tab;
  }

  async see(screen: Screen): Promise<void> {
    await vi.waitUntil(
      async () => {
        const heading = await this.#tab.askCheckout(
          () => document.querySelector("h1")?.textContent,
        );
        return SCREENS[screen].test(heading ?? "") ? true : undefined;
      },
      { timeout: 60_000 },
    );
  }

  async seePrice(): Promise<void> {
    await vi.waitUntil(
      async () => {
        const text = await this.#tab.askCheckout(() => document.body.innerText);
        return /\bfees\b/i.test(text ?? "") ? true : undefined;
      },
      { timeout: 60_000 },
    );
  }

  async press(label: string | RegExp): Promise<void> {
    await this.#tabTo(label);
    await this.#tab.press("Enter");
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    await this.#tabTo(label);
    await this.#tab.type(text);
  }

  async #tabTo(label: string | RegExp): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < PRESSES_MAX; presses += 1) {
      const name = await this.#tab.focusedName();
      if (typeof label === "string" ? name.startsWith(label) : label.test(name)) return;
      passed.push(name);
      await this.#tab.press("Tab");
    }
    throw new Error(`Tab does not reach ${label}; it passed ${passed.join(", ")}`);
  }
}
