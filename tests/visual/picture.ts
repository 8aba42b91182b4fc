import { crc32, deflateSync } from "node:zlib";
import { PNG } from "pngjs";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly data: Buffer;
}

const COLOURS_MAX = 32;
/** More of the picture than this in one colour is an area, not the edge of a letter. */
const AREA_SHARE = 0.002;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const readPicture = (png: Buffer): Picture => PNG.sync.read(png);
export const writePicture = ({ width, height, data }: Picture): Buffer => {
  const png = new PNG({ width, height });
  data.copy(png.data);
  return PNG.sync.write(png);
};

/** A small PNG: a byte a pixel, of few colours. The same picture gives the same bytes. */
export function packPicture({ width, height, data }: Picture): Buffer {
  const { palette, indexes } = coloursOf(data);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) {
    // Each row begins with its filter, which is none.
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function coloursOf(data: Buffer): { readonly palette: Buffer; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>();
  forEachRun(data, (colour, from, to) => counts.set(colour, (counts.get(colour) ?? 0) + to - from));
  const { palette, indexOf } = choosePalette(counts, (data.length / 4) * AREA_SHARE);
  const indexes = new Uint8Array(data.length / 4);
  forEachRun(data, (colour, from, to) => indexes.fill(indexOf.get(colour) ?? 0, from, to));
  return { palette: Buffer.from(palette.flatMap(channelsOf)), indexes };
}

/** Neighbours are mostly of one colour: `take` gets them together. */
function forEachRun(data: Buffer, take: (colour: number, from: number, to: number) => void): void {
  const pixels = data.length / 4;
  for (let from = 0, to = 1; from < pixels; from = to++) {
    const pixel = data.readUInt32BE(from * 4);
    while (to < pixels && data.readUInt32BE(to * 4) === pixel) to++;
    take(pixel >>> 8, from, to);
  }
}

/**
 * The colours of areas as they are; then, one after the other, what is furthest from all of these,
 * frequent colours first. Every colour gets the index of its nearest.
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

const channelsOf = (colour: number) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff] as const;

function distanceOf(one: number, other: number): number {
  const [red, green, blue] = channelsOf(one);
  const [otherRed, otherGreen, otherBlue] = channelsOf(other);
  return (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2;
}

function chunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
