/** A colour as red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];

/** Reads "#rgb" or "#rrggbb". Returns undefined for any other text. */
export function readColour(text: string): Colour | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  const match = long ?? short;
  if (!match) return undefined;
  const channel = (index: number): number => {
    const digits = match[index] ?? "0";
    return Number.parseInt(digits.length === 1 ? digits + digits : digits, 16);
  };
  return [channel(1), channel(2), channel(3)];
}

/** The backgrounds that a merchant's colour lies on. */
export const SURFACES: Readonly<Record<"light" | "dark", Colour>> = {
  light: [255, 255, 255],
  dark: [24, 27, 33],
};

/** The contrast below which a merchant's colour is not used for the button, and for text. */
export const CONTRAST_MIN = { button: 3, text: 4.5 } as const;

/** Returns the contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(a: Colour, b: Colour): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the text colour that is legible on a background. White or black always is. */
export const inkOn = (background: Colour): Colour =>
  contrast(background, WHITE) >= 4.5 ? WHITE : BLACK;

export const toCss = ([red, green, blue]: Colour): string => `rgb(${red} ${green} ${blue})`;

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
