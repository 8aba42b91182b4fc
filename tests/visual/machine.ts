import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { REFERENCES } from "./references.ts";

const require = createRequire(import.meta.url);
const FONTS = path.join(path.dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");
/** Leaves the upright Sans, Mono and Serif, regular and bold. */
const UNUSED_FONTS = ["*Condensed*", "*ExtraLight*", "*Oblique*", "*Italic*", "*MathTeX*"];

const fontConfiguration = (cache: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${FONTS}</dir>
  <cachedir>${cache}</cachedir>
  <selectfont><rejectfont>
    ${UNUSED_FONTS.map((glob) => `<glob>${FONTS}/${glob}</glob>`).join("\n    ")}
  </rejectfont></selectfont>
  <match target="pattern">
    <edit name="hintstyle" mode="append"><const>hintslight</const></edit>
  </match>
</fontconfig>
`;

/**
 * Returns the environment variables that limit a browser to the fonts of the tests, so that words
 * have the same width on every machine. Only fontconfig reads them, so they have no effect outside Linux.
 */
export function fontVariables(): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-fonts-"));
  const file = path.join(folder, "fonts.conf");
  writeFileSync(file, fontConfiguration(folder));
  return { FONTCONFIG_FILE: file };
}

const FILE = path.join(REFERENCES, "machine.json");
const SAMPLES = {
  text: "400 100px system-ui",
  bold: "650 100px system-ui",
  mono: "400 100px ui-monospace, 'DejaVu Sans Mono', monospace",
} as const;
const WORDS = { latin: "Hamburgefonstiv 0123456789 €", arabic: "نص حكيم له سر قاطع" } as const;

type Machine = Readonly<Record<string, number>>;

/** Measures what sets pixels and is not in the repository: the browser's version and the width of words. */
export async function describeMachine(browser: Browser): Promise<Machine> {
  const page = await browser.newPage();
  const widths = await page.evaluate(
    ({ samples, words }) => {
      const drawing = document.createElement("canvas").getContext("2d");
      if (!drawing) throw new Error("The browser has no canvas.");
      return Object.entries(samples).flatMap(([style, font]) =>
        Object.entries(words).map(([script, text]) => {
          drawing.font = font;
          return [`${style}, ${script}`, Math.round(drawing.measureText(text).width)] as const;
        }),
      );
    },
    { samples: SAMPLES, words: WORDS },
  );
  await page.close();
  return { chromium: Number.parseInt(browser.version(), 10), ...Object.fromEntries(widths) };
}

export const storeMachine = (machine: Machine): void =>
  writeFileSync(FILE, `${JSON.stringify(machine, null, 2)}\n`);

/** The difference between this machine and the one that took the references. */
export interface MachineDifference {
  /** The difference in words; empty when there is none. */
  readonly words: string;
  /** True when words have the same width, so that only edges of letters may differ a little. */
  readonly isBrowserOnly: boolean;
}

export function differsFromReferences(machine: Machine): MachineDifference {
  if (!existsSync(FILE)) return { words: "there are no references yet", isBrowserOnly: false };
  const stored = JSON.parse(readFileSync(FILE, "utf8")) as Machine;
  const names = Object.keys({ ...stored, ...machine }).filter(
    (name) => stored[name] !== machine[name],
  );
  return {
    words: names.map((name) => `${name} ${machine[name]} instead of ${stored[name]}`).join("; "),
    isBrowserOnly: names.every((name) => name === "chromium"),
  };
}
