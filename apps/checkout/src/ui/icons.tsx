import type { ComponentChildren } from "preact";

interface GlyphProps {
  readonly children: ComponentChildren;
  /** The icon points in the reading direction and is mirrored with it. */
  readonly along?: true;
}

/** A line icon beside a text. Screen readers skip it. */
const Glyph = ({ children, along }: GlyphProps) => (
  <svg
    class={along ? "icon along" : "icon"}
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
);

export const BackIcon = () => (
  <Glyph along>
    <path d="M15 5l-7 7 7 7" />
  </Glyph>
);
export const CloseIcon = () => (
  <Glyph>
    <path d="M6 6l12 12M18 6L6 18" />
  </Glyph>
);
export const ChevronIcon = () => (
  <Glyph>
    <path d="M6 9l6 6 6-6" />
  </Glyph>
);
export const LockIcon = () => (
  <Glyph>
    <rect x="5" y="11" width="14" height="9" rx="2" />
    <path d="M8 11V8a4 4 0 0 1 8 0v3" />
  </Glyph>
);
export const CheckIcon = () => (
  <Glyph>
    <path d="M5 12.5l4.5 4.5L19 7.5" />
  </Glyph>
);
export const AlertIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7.5v5.5M12 16.4v.1" />
  </Glyph>
);
export const NoteIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5.5M12 7.6v.1" />
  </Glyph>
);
export const CopyIcon = () => (
  <Glyph>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4V5a1 1 0 0 1 1-1h10v1" />
  </Glyph>
);
export const SearchIcon = () => (
  <Glyph>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M16 16l4.5 4.5" />
  </Glyph>
);
export const CardIcon = () => (
  <Glyph>
    <rect x="3" y="5.5" width="18" height="13" rx="2.5" />
    <path d="M3 10h18M7 15h3" />
  </Glyph>
);
export const ClockIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5.2l3.2 2" />
  </Glyph>
);
export const ArrowIcon = () => (
  <Glyph along>
    <path d="M5 12h14M13 6l6 6-6 6" />
  </Glyph>
);
export const LinkOutIcon = () => (
  <Glyph along>
    <path d="M10 5H5v14h14v-5M14 5h5v5M19 5l-9 9" />
  </Glyph>
);
export const CrossIcon = () => (
  <Glyph>
    <path d="M7 7l10 10M17 7L7 17" />
  </Glyph>
);
export const BankIcon = () => (
  <Glyph>
    <path d="M4 10l8-5 8 5M5 19h14M7 12v5M12 12v5M17 12v5" />
  </Glyph>
);
export const CashIcon = () => (
  <Glyph>
    <rect x="3" y="6" width="18" height="12" rx="2" />
    <circle cx="12" cy="12" r="2.5" />
  </Glyph>
);
export const PhoneIcon = () => (
  <Glyph>
    <rect x="7" y="3" width="10" height="18" rx="2" />
    <path d="M11 18h2" />
  </Glyph>
);
export const GlobeIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18" />
  </Glyph>
);
