import { type Colour, contrast, inkOn, readColour, toCss } from "./contrast.ts";

const SURFACES: Readonly<Record<"light" | "dark", Colour>> = {
  light: [255, 255, 255],
  dark: [24, 27, 33],
};

export type Theme = "auto" | "light" | "dark";

/** Sets the host's theme. Without one the customer's device decides. */
export function applyTheme(root: HTMLElement, theme: Theme | undefined): void {
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
}

/**
 * Uses the merchant's colour for the main button and the focus ring if it contrasts enough with the
 * surface, and for text if the text is legible. Otherwise our own accent stays.
 */
export function applyMerchantColour(view: Window, colourText: string | null): void {
  const colour = colourText === null ? undefined : readColour(colourText);
  if (!colour) return;
  const dark = view.matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const root = view.document.documentElement;
    const theme = root.dataset["theme"] ?? (dark.matches ? "dark" : "light");
    const surface = SURFACES[theme === "dark" ? "dark" : "light"];
    const ratio = contrast(colour, surface);
    setOrClear(root, "--accent", ratio >= 3 ? toCss(colour) : undefined);
    setOrClear(root, "--accent-ink", ratio >= 3 ? toCss(inkOn(colour)) : undefined);
    setOrClear(root, "--accent-text", ratio >= 4.5 ? toCss(colour) : undefined);
  };
  dark.addEventListener("change", apply);
  apply();
}

function setOrClear(root: HTMLElement, property: string, value: string | undefined): void {
  if (value === undefined) root.style.removeProperty(property);
  else root.style.setProperty(property, value);
}
