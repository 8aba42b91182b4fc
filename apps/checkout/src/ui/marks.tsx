import type { CardBrand } from "../card/brand.ts";

/**
 * The marks of currencies, networks and cards, drawn by hand from a few colours: the bands of a flag, or a coin's colour
 * with its sign. They are in a file of their own, which the first screen does not wait for.
 */

/** Bands from top to bottom (h) or from left to right (v), a cross (x), a disc on a field (d), or a field (f). */
const FLAGS: Readonly<Record<string, string>> = {
  EUR: "f 039",
  USD: "h b22234 fff b22234 fff b22234 fff b22234",
  GBP: "x 012169 c8102e fff",
  CAD: "v d80621 fff fff d80621",
  AUD: "f 012169",
  NZD: "f 012169",
  CHF: "x d52b1e fff",
  JPY: "d fff bc002d",
  SEK: "x 006aa7 fecc00",
  NOK: "x ba0c2f 00205b fff",
  DKK: "x c8102e fff",
  ISK: "x 02529c dc1e35 fff",
  PLN: "h fff dc143c",
  CZK: "h fff d7141a",
  HUF: "h ce2939 fff 477050",
  RON: "v 002b7f fcd116 ce1126",
  RSD: "h c6363c 0c4076 fff",
  UAH: "h 005bbb ffd500",
  GEL: "x fff e11",
  TRY: "d e30a17 fff",
  ILS: "h fff 0038b8 fff fff 0038b8 fff",
  AED: "h 00732f fff 000",
  SAR: "f 006c35",
  QAR: "v fff 8a1538 8a1538",
  KWD: "h 007a3d fff ce1126",
  BHD: "v fff ce1126 ce1126",
  JOD: "h 000 fff 007a3d",
  OMR: "h fff db161b 008000",
  EGP: "h ce1126 fff 000",
  MAD: "f c1272d",
  TND: "d e70013 fff",
  ZAR: "h de3831 fff 007a4d fff 002395",
  NGN: "v 008751 fff 008751",
  GHS: "h ce1126 fcd116 006b3f",
  KES: "h 000 bb0000 006600",
  UGX: "h 000 fcdc04 d90000 000 fcdc04 d90000",
  TZS: "h 1eb53a fcd116 000 fcd116 00a3dd",
  BRL: "d 009c3b ffdf00",
  MXN: "v 006847 fff ce1126",
  CLP: "h fff d52b1e",
  COP: "h fcd116 fcd116 003893 ce1126",
  PEN: "v d91023 fff d91023",
  ARS: "h 74acdf fff 74acdf",
  UYU: "h fff 0038a8 fff 0038a8 fff",
  CRC: "h 002b7f fff ce1126 ce1126 fff 002b7f",
  DOP: "x fff 002d62",
  INR: "h ff9933 fff 138808",
  PKR: "v fff 01411c 01411c 01411c",
  BDT: "d 006a4e f42a41",
  LKR: "v ffb700 8d153a 8d153a",
  SGD: "h ed2939 fff",
  HKD: "d de2910 fff",
  TWD: "f fe0000",
  KRW: "d fff cd2e3a",
  THB: "h a51931 fff 2d2a4a 2d2a4a fff a51931",
  PHP: "h 0038a8 ce1126",
  IDR: "h ce1126 fff",
  VND: "d da251d ff0",
  MYR: "h cc0001 fff cc0001 fff cc0001 fff",
};

/** Colour and sign of coins. A coin that is not here keeps its letter. */
const COINS: Readonly<Record<string, readonly [colour: string, sign: string]>> = {
  BTC: ["f7931a", "B"],
  ETH: ["5b6dc8", "Ξ"],
  USDT: ["1f8f70", "₮"],
  USDC: ["2470c4", "$"],
  SOL: ["7b3fe4", "S"],
  XRP: ["23292f", "X"],
  BNB: ["c99400", "B"],
  DOGE: ["a8893a", "Ð"],
  TRX: ["d0021b", "T"],
  LTC: ["345d9d", "Ł"],
  BCH: ["3a9d5f", "B"],
  AVAX: ["d63c3d", "A"],
  POL: ["6f41d8", "P"],
  DAI: ["c8870a", "D"],
  EURC: ["1b4fc4", "€"],
  PYUSD: ["0b4a9e", "$"],
  WBTC: ["4b4566", "B"],
  LINK: ["2a5ada", "L"],
  UNI: ["d6006d", "U"],
  AAVE: ["7d6bb0", "A"],
  CRV: ["3466aa", "C"],
  LDO: ["d1685a", "L"],
  COMP: ["00916e", "C"],
  SHIB: ["d4451c", "S"],
  PEPE: ["3d8130", "P"],
  ARB: ["12436d", "A"],
  OP: ["d6001c", "O"],
  BASE: ["0a46e4", "B"],
};

/** Their sign is a B with strokes, because many fonts do not have its character. */
const BITCOINS: readonly string[] = ["BTC", "BCH", "WBTC"];

/** The networks with a mark: that of the coin with which their fees are paid, or of their own token. */
const NETWORKS: Readonly<Record<string, string>> = {
  bitcoin: "BTC",
  ethereum: "ETH",
  arbitrum: "ARB",
  optimism: "OP",
  base: "BASE",
  polygon: "POL",
  bsc: "BNB",
  avalanche: "AVAX",
  solana: "SOL",
  xrpl: "XRP",
  tron: "TRX",
  litecoin: "LTC",
  dogecoin: "DOGE",
  "bitcoin-cash": "BCH",
};

/** Returns whether there is a mark for a currency. */
export const hasMark = (code: string): boolean =>
  Object.hasOwn(FLAGS, code) || Object.hasOwn(COINS, code);

interface MarkProps {
  readonly code: string;
  /** The network of a coin that has a choice of them. */
  readonly network: string | null | undefined;
}

/** The mark of a currency, with that of its network at the corner. */
export function Mark({ code, network }: MarkProps) {
  const own = NETWORKS[network ?? ""];
  if (!own || own === code) return <Disc code={code} />;
  return (
    <span class="mark-pair">
      <Disc code={code} />
      <Disc code={own} />
    </span>
  );
}

/** A style attribute would be against the page's policy. */
function Disc({ code }: { readonly code: string }) {
  const [colour, sign] = COINS[code] ?? [];
  return (
    <svg class="disc mark" viewBox="0 0 28 28" aria-hidden="true" focusable="false">
      {colour ? <Band x={0} y={0} w={28} h={28} colour={colour} /> : <Flag code={code} />}
      {sign && (
        <text x="14" y="19.5" text-anchor="middle" font-size="16" fill="#fff">
          {sign}
        </text>
      )}
      {BITCOINS.includes(code) && (
        <path d="M11.5 5v3M15 5v3M11.5 19v3.5M15 19v3.5" stroke="#fff" stroke-width="1.8" />
      )}
    </svg>
  );
}

/** The mark of a card's brand, on a card. */
export const CardMark = ({ brand }: { readonly brand: CardBrand }) => (
  <svg class="card-mark" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
    <Band x={0} y={0} w={32} h={20} colour={brand === "amex" ? "1f72cd" : "fff"} />
    {brand === "mastercard" ? (
      <>
        <circle cx="12.5" cy="10" r="6" fill="#eb001b" />
        <circle cx="19.5" cy="10" r="6" fill="#f79e1b" />
        <path d="M16 5.1a6 6 0 0 1 0 9.8 6 6 0 0 1 0-9.8z" fill="#ff5f00" />
      </>
    ) : (
      <text
        x="16"
        y="13.6"
        text-anchor="middle"
        font-size={brand === "amex" ? 9 : 10}
        font-style={brand === "amex" ? "normal" : "italic"}
        fill={brand === "amex" ? "#fff" : "#1a1f71"}
      >
        {brand === "amex" ? "AMEX" : "VISA"}
      </text>
    )}
  </svg>
);

function Flag({ code }: { readonly code: string }) {
  const [kind, ...colours] = (FLAGS[code] ?? "").split(" ");
  const [field = "", second = "", third] = colours;
  const size = 28 / colours.length;
  const ground = <Band x={0} y={0} w={28} h={28} colour={field} />;
  switch (kind) {
    case "h":
      return (
        <>
          {colours.map((colour, index) => (
            <Band key={index} x={0} y={index * size} w={28} h={size + 0.2} colour={colour} />
          ))}
          {code === "USD" && <Band x={0} y={0} w={14} h={16} colour="3c3b6e" />}
        </>
      );
    case "v":
      return (
        <>
          {colours.map((colour, index) => (
            <Band key={index} x={index * size} y={0} w={size + 0.2} h={28} colour={colour} />
          ))}
          {code === "CAD" && <path d={MAPLE_LEAF} fill={`#${field}`} />}
        </>
      );
    case "d":
      return (
        <>
          {ground}
          <circle cx="14" cy="14" r="7" fill={`#${second}`} />
        </>
      );
    case "x":
      return (
        <>
          {ground}
          {third && <Cross colour={third} width={9} />}
          <Cross colour={second} width={5} />
        </>
      );
    default:
      return (
        <>
          {ground}
          {code === "EUR" &&
            STARS.map(([x, y]) => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.4" fill="#fc0" />)}
        </>
      );
  }
}

/** The eleven points and the stem of the leaf, within the white of the flag. */
const MAPLE_LEAF =
  "M14 7.5 15.1 9.6 15.4 9.7 16.4 9.1 15.8 12.5 16.1 12.7 17.5 11.2 17.8 12 18.1 12.1 19.8 11.7 19.2 13.6 19.3 13.8 20 14.2 17 16.6 16.9 16.9 17.3 17.9 14.5 17.4 14.1 17.7 14.3 20.5 13.7 20.5 13.9 17.7 13.5 17.4 10.7 17.9 11.1 16.9 11 16.6 8 14.2 8.7 13.8 8.8 13.6 8.2 11.7 9.9 12.1 10.2 12 10.5 11.2 11.9 12.7 12.2 12.5 11.6 9.1 12.6 9.7 12.9 9.6z";

/** The places of the twelve stars. */
const STARS = Array.from({ length: 12 }, (_, hour): readonly [number, number] => [
  14 + 8 * Math.sin((hour * Math.PI) / 6),
  14 - 8 * Math.cos((hour * Math.PI) / 6),
]);

interface BandProps {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly colour: string;
}

const Band = ({ x, y, w, h, colour }: BandProps) => (
  <rect x={x} y={y} width={w} height={h} fill={`#${colour}`} />
);

const Cross = ({ colour, width }: { readonly colour: string; readonly width: number }) => (
  <>
    <Band x={12 - width / 2} y={0} w={width} h={28} colour={colour} />
    <Band x={0} y={14 - width / 2} w={28} h={width} colour={colour} />
  </>
);
