import { encode } from "uqr";

export interface DrawnQr {
  /** Modules on a side, quiet zone included. */
  readonly size: number;
  /** One path of unit squares. */
  readonly path: string;
}

/** Draws a text as a QR code with the quiet zone of four modules that ISO 18004 requires. */
export function drawQr(text: string): DrawnQr {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const rows = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: rows.join("") };
}
