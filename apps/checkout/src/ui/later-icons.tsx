import { Glyph } from "./icons.tsx";

// Icons that only screens after the first have. The first file would be over its budget with them.

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
