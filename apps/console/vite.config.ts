import { readFileSync } from "node:fs";
import path from "node:path";
import { ALL_LANGUAGES, directionOf } from "@exchange/ui/languages";
import { PLAIN_IMPORTS } from "@exchange/ui/plain-imports";
import { defineConfig } from "vite";

// The service sets a strict content security policy: no inline script or style, no other origin.
export default defineConfig({
  base: "/",
  plugins: [
    { name: "texts", transformIndexHtml: { order: "pre", handler: sayInAllLanguages } },
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
        // Every screen uses most of these files. Each file more would be a request more.
        codeSplitting: {
          groups: [{ name: "ui", test: /src\/(ui\/|merchants\/merchant-field)/ }],
          includeDependenciesRecursively: false,
        },
        // `npm run check` has a budget for the files of the first load, for each screen and for each language.
        entryFileNames: "assets/first-[hash].js",
        chunkFileNames: ({ isDynamicEntry, facadeModuleId }) => {
          if (!isDynamicEntry) return "assets/shared-[name]-[hash].js";
          const isLanguage = facadeModuleId?.includes("/locales/");
          return isLanguage ? "assets/locale-[name]-[hash].js" : "assets/[name]-[hash].js";
        },
      },
    },
  },
});

/** While no language is loaded, the page says its texts in all of them. */
function sayInAllLanguages(page: string): string {
  return page.replace(/<!-- text: ([a-z_.]+) -->/g, (_comment, key: string) => inAllLanguages(key));
}

function inAllLanguages(key: string): string {
  const texts = ALL_LANGUAGES.map((language) => {
    const file = path.join(import.meta.dirname, "locales", `${language}.json`);
    const { [key]: text } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    return `<p lang="${language}" dir="${directionOf(language)}">${text}</p>`;
  });
  return texts.join("");
}
