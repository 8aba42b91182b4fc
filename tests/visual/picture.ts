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
  forEachColour(data, (colour) => counts.set(colour, (counts.get(colour) ?? 0) + 1));
  const { palette, indexOf } = choosePalette(counts, (data.length / 4) * AREA_SHARE);
  const indexes = new Uint8Array(data.length / 4);
  forEachColour(data, (colour, pixel) => {
    indexes[pixel] = indexOf.get(colour) ?? 0;
  });
  return { palette: Buffer.from(palette.flatMap(channelsOf)), indexes };
}

function forEachColour(data: Buffer, take: (colour: number, pixel: number) => void): void {
  for (let pixel = 0; pixel < data.length / 4; pixel++) {
    take(data.readUInt32BE(pixel * 4) >>> 8, pixel);
  }
}

/**
 * The colours of areas as they are; then, one after the other, what is furthest from all of these,
 * frequent colours first. Every colour gets the index of its nearest.
 */
function choosePalette(counts: ReadonlyMap<number, number>, areaPixels: number) {
  const colours = [...counts.keys()].toSorted(
    (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0),
  );
  const areas = colours.filter((colour) => (counts.get(colour) ?? 0) >= areaPixels);
  const palette: number[] = [];
  const indexOf = new Map<number, number>();
  const distances = new Map<number, number>();
  let next: number | undefined = colours[0];
  while (next !== undefined && palette.length < COLOURS_MAX) {
    let worst = 0;
    const added = next;
    next = areas[palette.length + 1];
    palette.push(added);
    for (const colour of colours) {
      const distance = distanceOf(colour, added);
      if (distance < (distances.get(colour) ?? Number.POSITIVE_INFINITY)) {
        distances.set(colour, distance);
        indexOf.set(colour, palette.length - 1);
      }
      const loss = (distances.get(colour) ?? 0) * Math.sqrt(counts.get(colour) ?? 0);
      if (palette.length < areas.length || loss <= worst) continue;
      worst = loss;
      next = colour;
    }
  }
  return { palette, indexOf };
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
