import { dirname, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/**
 * The programs of the service. Each is started by its path below `dist`. The signer is not one of them: it would load the
 * code that it shares files with, and it must load nothing that it does not need.
 */
const PROGRAMS = ["main", "start/api-process", "cli/main"];

const SOURCES = fileURLToPath(new URL("src/", import.meta.url));

/** Lets a module find the files beside it, although its code moved to another file of `dist`. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  transform(code, id) {
    if (!id.startsWith(SOURCES)) return null;
    const compiled = id.slice(SOURCES.length).replace(/\.ts$/, ".js");
    return code.replaceAll("import.meta.url", `ADDRESS_OF("${compiled}")`);
  },
  renderChunk(code, { fileName }) {
    return code.replaceAll(/ADDRESS_OF\("([^"]+)"\)/g, (_call, compiled: string) => {
      const path = relative(dirname(fileName), compiled);
      return `new URL(${JSON.stringify(path)}, import.meta.url).href`;
    });
  },
};

/**
 * Puts each program and the libraries that it uses into few files. Most of a start was the loading of 1,200 modules.
 * The TypeScript build writes to the same folder, so a program that is not bundled yet runs too.
 */
export default defineConfig({
  logLevel: "warn",
  plugins: [ownAddresses],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: false,
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(PROGRAMS.map((name) => [name, `src/${name}.ts`])),
      output: { entryFileNames: "[name].js", chunkFileNames: "programs/[name].js" },
    },
  },
});
