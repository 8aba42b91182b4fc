import type { ComponentChildren } from "preact";

interface GlyphProps {
  readonly children: ComponentChildren;
  /** The icon points in the reading direction and is mirrored with it. */
  readonly along?: true;
}

/** A line icon beside a text. Screen readers skip it. */
export const Glyph = ({ children, along }: GlyphProps) => (
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
export const ClockIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5.2l3.2 2" />
  </Glyph>
);
export const CrossIcon = () => (
  <Glyph>
    <path d="M7 7l10 10M17 7L7 17" />
  </Glyph>
);
export const GlobeIcon = () => (
  <Glyph>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18" />
  </Glyph>
);
