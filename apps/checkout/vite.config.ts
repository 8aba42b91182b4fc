import { readFileSync } from "node:fs";
import path from "node:path";
import { ALL_LANGUAGES, directionOf } from "@exchange/ui/languages";
import { PLAIN_IMPORTS } from "@exchange/ui/plain-imports";
import { defineConfig } from "vite";

// The service sets a strict content security policy: no inline script or style, no other origin.
export default defineConfig({
  base: "/checkout/",
  plugins: [
    { name: "page-texts", transformIndexHtml: { order: "pre", handler: sayWithoutScript } },
    { name: "one-first-file", generateBundle: (_, files) => requireOneFile(Object.values(files)) },
    { name: "texts-of-scripts", enforce: "pre", transform: dropUnread },
    PLAIN_IMPORTS,
  ],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        // The names separate the files of a first visit from later ones, and `npm run check` has a budget for each.
        entryFileNames: "assets/first-[hash].js",
        chunkFileNames: ({ facadeModuleId, name }) =>
          `assets/${nameOf(facadeModuleId) ?? name}-[hash].js`,
      },
    },
  },
});

interface OutputFile {
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}

/** The first screen would wait for a file that the first one imports. */
function requireOneFile(files: readonly OutputFile[]): void {
  const shared = files.filter(({ isEntry }) => isEntry).flatMap(({ imports = [] }) => imports);
  if (shared.length === 0) return;
  throw new Error(`The first file imports ${shared.join(", ")}. Let lazy files import less.`);
}

/** "locale-de-first" for locales/de/first.json. */
function nameOf(module: string | null): string | undefined {
  const [, language, part] = /\/locales\/([^/]+)\/(\w+)\.json$/.exec(module ?? "") ?? [];
  return language && `locale-${language}-${part}`;
}

/**
 * Leaves out texts that no script needs, because each load has a budget: the page alone says those of `PAGE_TEXTS`, and a message
 * without a text is printed as its key, which is the English name of a value of the service.
 */
function dropUnread(code: string, id: string): string | undefined {
  const [, language] = /\/locales\/([^/]+)\/\w+\.json$/.exec(id) ?? [];
  if (language === undefined) return undefined;
  const texts = Object.entries(JSON.parse(code) as Record<string, string>);
  const isRead = ([key, text]: readonly [string, string]): boolean =>
    !PAGE_TEXTS.some((name) => name === key) && !(language === "en" && key === text);
  return JSON.stringify(Object.fromEntries(texts.filter(isRead)));
}

/** Without the script no language can be chosen, so the page says these texts in all of them. */
const PAGE_TEXTS = ["noscript", "unloaded"] as const;

function sayWithoutScript(page: string): string {
  return PAGE_TEXTS.reduce((filled, name) => {
    const texts = ALL_LANGUAGES.map((language) => {
      const file = path.join(import.meta.dirname, "locales", language, "first.json");
      const text = (JSON.parse(readFileSync(file, "utf8")) as Record<typeof name, string>)[name];
      return `<p lang="${language}" dir="${directionOf(language)}">${text}</p>`;
    });
    return filled.replace(`<!-- ${name} -->`, texts.join(""));
  }, page);
}
