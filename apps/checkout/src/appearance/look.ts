import type { CheckoutSession } from "@exchange/contract";
import {
  CONTRAST_MIN,
  contrast,
  inkOn,
  readColour,
  SURFACES,
  toCss,
} from "@exchange/contract/appearance";
import type { Appearance } from "@exchange/contract/frame";
import { readUrl } from "../host/address.ts";

const RADIUS_MAX = 20;

type Merchant = CheckoutSession["merchant"];

/** How the checkout looks: the page's `appearance`, and the merchant's own colour and logo below it. */
export interface Look {
  /** Returns the session with the page's colour and logo in place of the merchant's. */
  dress(session: CheckoutSession): CheckoutSession;
  apply(merchant: Merchant): void;
}

/** The content security policy allows images of our own origin and data URLs only. */
const allowedLogo = (view: Window, url: string | null): string | null => {
  if (url === null || url.startsWith("data:image/")) return url;
  const { href, origin } = view.location;
  return readUrl(url, href)?.origin === origin ? url : null;
};

export function createLook(view: Window, page: Appearance | undefined): Look {
  const { accent, logo, radius } = readAppearance(page);
  return {
    dress: (session) => ({
      ...session,
      merchant: {
        ...session.merchant,
        ...(accent !== undefined && { primaryColor: accent }),
        logoUrl: logo ?? allowedLogo(view, session.merchant.logoUrl),
      },
    }),
    apply({ primaryColor }) {
      applyColour(view, primaryColor ?? "");
      if (radius === undefined) return;
      setOrClear(view.document.documentElement, "--radius", `${radius}px`);
    },
  };
}

interface Member {
  readonly isValid: (value: unknown) => boolean;
  readonly accepted: string;
}

const MEMBERS: Readonly<Record<keyof Appearance, Member>> = {
  accent: {
    isValid: (value) => typeof value === "string" && readColour(value) !== undefined,
    accepted: "a colour such as #06c or #0066cc",
  },
  radius: {
    isValid: (value) => typeof value === "number" && value >= 0 && value <= RADIUS_MAX,
    accepted: `a number of pixels from 0 to ${RADIUS_MAX}`,
  },
  logo: {
    isValid: (value) => typeof value === "string" && value.startsWith("data:image/"),
    accepted: "an image as a data:image/ URL",
  },
  mode: {
    isValid: (value) => value === "auto" || value === "light" || value === "dark",
    accepted: "auto, light or dark",
  },
};

/**
 * Returns the valid members. A wrong one is reported in the page's console, which includes that of this frame, and
 * does not stop a customer.
 */
function readAppearance(page: Appearance | undefined): Appearance {
  const valid = Object.entries(page ?? {}).filter(([name, value]) => {
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name as keyof Appearance] : undefined;
    if (member?.isValid(value)) return true;
    const reason = member
      ? `appearance.${name} must be ${member.accepted}`
      : `appearance.${name} is not an option. Use one of: ${Object.keys(MEMBERS).join(", ")}`;
    console.error(`exchange: ${reason}. It is not used.`);
    return false;
  });
  return Object.fromEntries(valid);
}

/**
 * Uses the colour for the main button and the focus ring if it contrasts enough with the surface, and for text
 * if the text is legible. Otherwise our own accent stays.
 */
function applyColour(view: Window, colourText: string): void {
  const colour = readColour(colourText);
  if (!colour) return;
  const dark = view.matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const root = view.document.documentElement;
    const theme = (root.dataset["theme"] ?? (dark.matches ? "dark" : "light")) as "light" | "dark";
    const ratio = contrast(colour, SURFACES[theme]);
    const isUsed = ratio >= CONTRAST_MIN.button;
    setOrClear(root, "--accent", isUsed ? toCss(colour) : undefined);
    setOrClear(root, "--accent-ink", isUsed ? toCss(inkOn(colour)) : undefined);
    setOrClear(root, "--accent-text", ratio >= CONTRAST_MIN.text ? toCss(colour) : undefined);
    if (isUsed) return;
    const found = `has a contrast of ${ratio.toFixed(1)} with the ${theme} background`;
    console.warn(
      `exchange: ${colourText} ${found}, and needs ${CONTRAST_MIN.button}. It is not used.`,
    );
  };
  dark.addEventListener("change", apply);
  apply();
}

function setOrClear(root: HTMLElement, property: string, value: string | undefined): void {
  if (value === undefined) root.style.removeProperty(property);
  else root.style.setProperty(property, value);
}
