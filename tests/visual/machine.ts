import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { REFERENCES } from "./references.ts";

const FILE = path.join(REFERENCES, "machine.json");
const SAMPLES = {
  text: "400 100px system-ui",
  bold: "650 100px system-ui",
  mono: "400 100px ui-monospace, 'DejaVu Sans Mono', monospace",
} as const;
const WORDS = { latin: "Hamburgefonstiv 0123456789 €", arabic: "نص حكيم له سر قاطع" } as const;

type Machine = Readonly<Record<string, number>>;

/** What pixels depend on and the repository does not hold: the browser, and how wide its fonts set words. */
export async function describeMachine(browser: Browser): Promise<Machine> {
  const page = await browser.newPage();
  const widths = await page.evaluate(
    ({ samples, words }) => {
      const drawing = document.createElement("canvas").getContext("2d");
      if (!drawing) throw new Error("there is no canvas");
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

export const keepMachine = (machine: Machine): void =>
  writeFileSync(FILE, `${JSON.stringify(machine, null, 2)}\n`);

/** How this machine differs from the one that took the references. */
export interface MachineDifference {
  /** In words; empty when it does not. */
  readonly words: string;
  /** Words are as wide: only edges of letters may be drawn a little differently. */
  readonly isBrowserOnly: boolean;
}

export function differsFromReferences(machine: Machine): MachineDifference {
  if (!existsSync(FILE)) return { words: "nobody has taken references yet", isBrowserOnly: false };
  const kept = JSON.parse(readFileSync(FILE, "utf8")) as Machine;
  const names = Object.keys({ ...kept, ...machine }).filter((name) => kept[name] !== machine[name]);
  return {
    words: names.map((name) => `${name} ${machine[name]} instead of ${kept[name]}`).join("; "),
    isBrowserOnly: names.every((name) => name === "chromium"),
  };
}
