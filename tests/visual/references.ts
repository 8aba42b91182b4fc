import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pixelmatch from "pixelmatch";
import { packPicture, readPicture, writePicture } from "./picture.ts";

export const REFERENCES = path.join(import.meta.dirname, "references");
/** How far two colours may be apart and be the same. */
const COLOUR_DISTANCE = 0.05;
/** A letter that changes is more. */
const PIXELS_MAX = 12;
/** Another browser draws the edges of letters a little differently; a line that moves is more. */
const PIXELS_OF_ANOTHER_BROWSER_MAX = 400;

/** The pictures that one look shall give. */
export interface References {
  /** What is wrong with this picture, or undefined. */
  compare(name: string, png: Buffer): string | undefined;
  /** References of pictures that nobody takes any more. */
  unused(): readonly string[];
}

export interface ReferenceOptions {
  /** What is seen is stored instead. */
  readonly update: boolean;
  readonly isOtherBrowser: boolean;
}

/** Compares with what is stored. */
export function openReferences(
  look: string,
  { update, isOtherBrowser }: ReferenceOptions,
): References {
  const pixelsMax = isOtherBrowser ? PIXELS_OF_ANOTHER_BROWSER_MAX : PIXELS_MAX;
  const folder = path.join(REFERENCES, look);
  const seen = new Set<string>();
  if (update) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  return {
    compare(name, png) {
      if (seen.has(name)) return `${look}/${name}: taken twice`;
      seen.add(name);
      const file = path.join(folder, `${name}.png`);
      const packed = packPicture(readPicture(png));
      if (update) writeFileSync(file, packed);
      else if (!existsSync(file)) return `${look}/${name}: has no reference`;
      else return difference({ look, name, reference: readFileSync(file), packed, pixelsMax });
      return undefined;
    },
    unused() {
      const names = readdirSync(folder).map((file) => path.basename(file, ".png"));
      return names.filter((name) => !seen.has(name)).map((name) => `${look}/${name}: not taken`);
    },
  };
}

interface Compared {
  readonly look: string;
  readonly name: string;
  readonly reference: Buffer;
  readonly packed: Buffer;
  readonly pixelsMax: number;
}

function difference({ look, name, reference, packed, pixelsMax }: Compared): string | undefined {
  if (packed.equals(reference)) return undefined;
  const expected = readPicture(reference);
  const actual = readPicture(packed);
  const { width, height } = expected;
  if (actual.width !== width || actual.height !== height) {
    const place = keep(`${look}-${name}`, { actual: packed });
    return `${look}/${name}: ${actual.width} × ${actual.height} pixels instead of ${width} × ${height}; see ${place}`;
  }
  const data = Buffer.alloc(expected.data.length);
  const options = { threshold: COLOUR_DISTANCE };
  const pixels = pixelmatch(expected.data, actual.data, data, width, height, options);
  if (pixels <= pixelsMax) return undefined;
  const place = keep(`${look}-${name}`, {
    actual: packed,
    difference: writePicture({ width, height, data }),
  });
  return `${look}/${name}: ${pixels} pixels differ; see ${place}`;
}

let folder: string | undefined;

/** Leaves pictures where somebody can look at them; gives the folder. */
function keep(name: string, pictures: Readonly<Record<string, Buffer>>): string {
  folder ??= mkdtempSync(path.join(tmpdir(), "exchange-visual-"));
  for (const [kind, png] of Object.entries(pictures)) {
    writeFileSync(path.join(folder, `${name}-${kind}.png`), png);
  }
  return folder;
}
