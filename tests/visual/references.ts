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
import { type Picture, packPicture, readPicture, reducePicture, writePicture } from "./picture.ts";

export const REFERENCES = path.join(import.meta.dirname, "references");
/** The distance up to which `pixelmatch` takes two colours for the same. */
const COLOUR_DISTANCE = 0.05;
/** Fewer than the pixels of one changed letter. */
const PIXELS_MAX = 12;
/** Another browser draws the edges of letters a little differently. A line that moves changes more pixels. */
const PIXELS_OF_ANOTHER_BROWSER_MAX = 400;

/** The reference pictures of one look. */
export interface References {
  /** Returns the difference from the reference in words, or undefined when there is none. */
  compare(name: string, png: Buffer): string | undefined;
  /** Returns the references that no scene compared. */
  unused(): readonly string[];
}

export interface ReferenceOptions {
  /** Stores the pictures as the new references instead of comparing them. */
  readonly update: boolean;
  readonly isOtherBrowser: boolean;
}

export function openReferences(
  look: string,
  { update, isOtherBrowser }: ReferenceOptions,
): References {
  const pixelsMax = isOtherBrowser ? PIXELS_OF_ANOTHER_BROWSER_MAX : PIXELS_MAX;
  const folder = path.join(REFERENCES, look);
  const compared = new Set<string>();
  if (update) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  return {
    compare(name, png) {
      if (compared.has(name)) return `${look}/${name}: two scenes take this picture`;
      compared.add(name);
      const file = path.join(folder, `${name}.png`);
      const picture = readPicture(png);
      if (update) writeFileSync(file, packPicture(picture));
      else if (!existsSync(file)) return `${look}/${name}: has no reference`;
      else return difference({ look, name, reference: readFileSync(file), picture, pixelsMax });
      return undefined;
    },
    unused() {
      const names = readdirSync(folder).map((file) => path.basename(file, ".png"));
      return names
        .filter((name) => !compared.has(name))
        .map((name) => `${look}/${name}: no scene takes this picture`);
    },
  };
}

interface Comparison {
  readonly look: string;
  readonly name: string;
  readonly reference: Buffer;
  readonly picture: Picture;
  readonly pixelsMax: number;
}

function difference(comparison: Comparison): string | undefined {
  const { look, name, reference, picture, pixelsMax } = comparison;
  const expected = readPicture(reference);
  const actual = reducePicture(picture);
  const { width, height } = expected;
  if (actual.width !== width || actual.height !== height) {
    const place = save(`${look}-${name}`, { actual: packPicture(picture) });
    return `${look}/${name}: ${actual.width} × ${actual.height} pixels instead of ${width} × ${height}; see ${place}`;
  }
  if (Buffer.compare(expected.data, actual.data) === 0) return undefined;
  const data = new Uint8Array(expected.data.length);
  const options = { threshold: COLOUR_DISTANCE };
  const pixels = pixelmatch(expected.data, actual.data, data, width, height, options);
  if (pixels <= pixelsMax) return undefined;
  const place = save(`${look}-${name}`, {
    actual: packPicture(picture),
    difference: writePicture({ width, height, data }),
  });
  return `${look}/${name}: ${pixels} pixels differ; see ${place}`;
}

let failureFolder: string | undefined;

/** Saves pictures of a failure in a temporary folder for a person to look at. Returns the folder. */
function save(name: string, pictures: Readonly<Record<string, Uint8Array>>): string {
  failureFolder ??= mkdtempSync(path.join(tmpdir(), "exchange-visual-"));
  for (const [kind, png] of Object.entries(pictures)) {
    writeFileSync(path.join(failureFolder, `${name}-${kind}.png`), png);
  }
  return failureFolder;
}
