import type { BrowserContextOptions } from "playwright-core";

const PHONE = { width: 360, height: 640 };

/** How customers see the checkout: each width, both themes, and a language from right to left. */
export const LOOKS = {
  "phone-light": { viewport: PHONE, colorScheme: "light", locale: "en-US" },
  "phone-dark-arabic": { viewport: PHONE, colorScheme: "dark", locale: "ar" },
  "modal-dark": { viewport: { width: 440, height: 640 }, colorScheme: "dark", locale: "en-US" },
  "desktop-light": {
    viewport: { width: 1280, height: 720 },
    colorScheme: "light",
    locale: "en-US",
  },
} as const satisfies Record<string, BrowserContextOptions>;
export type Look = keyof typeof LOOKS;

/** Elsewhere each screen is looked at once: its states differ there as they do on a phone. */
export const SCREENS_ONLY: readonly Look[] = ["modal-dark", "desktop-light"];
