import { decode, encode } from "fast-png";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly data: Uint8Array;
}

type Colour = readonly [red: number, green: number, blue: number];

const COLOURS_MAX = 32;
/** A colour that covers more of the picture than this is an area, not the edge of a letter. */
const AREA_SHARE = 0.002;
/** The best compression: the pictures are in the repository. */
const ZLIB = { level: 9 } as const;

/** Reads a screenshot of the browser or a packed picture. Both are opaque. */
export function readPicture(png: Uint8Array): Picture {
  const { width, height, channels, palette, data: values } = decode(png);
  if (palette) return paintPicture({ width, height, palette, indexes: values });
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      data[pixel * 4 + channel] = values[pixel * channels + channel] ?? 0;
    }
  }
  return { width, height, data };
}

export const writePicture = ({ width, height, data }: Picture): Uint8Array =>
  encode({ width, height, data, channels: 4, depth: 8 }, { zlib: ZLIB });

/** Returns a small PNG: a byte a pixel, of few colours. The same picture gives the same bytes. */
export function packPicture({ width, height, data }: Picture): Uint8Array {
  const { palette, indexes } = reduceColours(data);
  const picture = { width, height, data: indexes, channels: 1, depth: 8, palette } as const;
  return encode(picture, { zlib: ZLIB });
}

/** Returns the picture that `readPicture` returns for the packed one. Compression would take most of the time. */
export const reducePicture = ({ width, height, data }: Picture): Picture =>
  paintPicture({ width, height, ...reduceColours(data) });

/** A packed picture has a byte for each pixel: the index of its colour. */
interface PackedPicture {
  readonly width: number;
  readonly height: number;
  readonly palette: readonly (readonly number[])[];
  readonly indexes: ArrayLike<number>;
}

function paintPicture({ width, height, palette, indexes }: PackedPicture): Picture {
  const data = new Uint8Array(width * height * 4);
  const pixels = new DataView(data.buffer);
  const colours = palette.map(
    ([red = 0, green = 0, blue = 0]) => ((red << 24) | (green << 16) | (blue << 8) | 0xff) >>> 0,
  );
  // An iterator would cost several times as much.
  for (let pixel = 0; pixel < width * height; pixel++) {
    pixels.setUint32(pixel * 4, colours[indexes[pixel] ?? 0] ?? 0);
  }
  return { width, height, data };
}

function reduceColours(data: Uint8Array) {
  const counts = new Map<number, number>();
  forEachRun(data, (colour, from, to) => counts.set(colour, (counts.get(colour) ?? 0) + to - from));
  const { palette, indexOf } = choosePalette(counts, (data.length / 4) * AREA_SHARE);
  const indexes = new Uint8Array(data.length / 4);
  forEachRun(data, (colour, from, to) => indexes.fill(indexOf.get(colour) ?? 0, from, to));
  return { palette: palette.map((colour) => [...channelsOf(colour)]), indexes };
}

/** Calls `take` for each run of neighbouring pixels in one colour: most neighbours are alike. */
function forEachRun(
  data: Uint8Array,
  take: (colour: number, from: number, to: number) => void,
): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const pixels = data.length / 4;
  for (let from = 0, to = 1; from < pixels; from = to++) {
    const pixel = view.getUint32(from * 4);
    while (to < pixels && view.getUint32(to * 4) === pixel) to++;
    take(pixel >>> 8, from, to);
  }
}

/**
 * Chooses the colours of areas first. Then it adds the colour that is furthest from all chosen ones,
 * frequent colours first, until the palette is full. Every colour gets the index of its nearest.
 */
function choosePalette(counts: ReadonlyMap<number, number>, areaPixels: number) {
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const colours = sorted.map(([colour]) => colour);
  const weights = sorted.map(([, count]) => Math.sqrt(count));
  const areas = sorted.filter(([, count]) => count >= areaPixels).length;
  const palette: number[] = [];
  const nearest = new Uint8Array(colours.length);
  const distances = new Float64Array(colours.length).fill(Number.POSITIVE_INFINITY);
  let next = colours[0];
  while (next !== undefined && palette.length < COLOURS_MAX) {
    let worst = 0;
    const added = next;
    next = palette.length + 1 < areas ? colours[palette.length + 1] : undefined;
    palette.push(added);
    for (const [position, colour] of colours.entries()) {
      const distance = distanceOf(colour, added);
      if (distance < (distances[position] ?? 0)) {
        distances[position] = distance;
        nearest[position] = palette.length - 1;
      }
      const loss = (distances[position] ?? 0) * (weights[position] ?? 0);
      if (palette.length < areas || loss <= worst) continue;
      worst = loss;
      next = colour;
    }
  }
  return { palette, indexOf: new Map(colours.map((colour, at) => [colour, nearest[at] ?? 0])) };
}

const channelsOf = (colour: number): Colour => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

function distanceOf(one: number, other: number): number {
  const [red, green, blue] = channelsOf(one);
  const [otherRed, otherGreen, otherBlue] = channelsOf(other);
  return (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2;
}
