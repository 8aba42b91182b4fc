/** A file that the bundler writes. */
interface Written {
  readonly fileName: string;
}

/**
 * Leaves out the bundler's function that loads the styles and the preloads of a lazy file. No lazy file has any: all styles
 * are in one file, and a second one fails the build.
 */
export const PLAIN_IMPORTS = {
  name: "plain-imports",
  enforce: "pre",
  load: (id: string): string | undefined =>
    id === "\0vite/preload-helper.js"
      ? "export const __vitePreload = (load) => load();"
      : undefined,
  generateBundle: (_options: unknown, files: Readonly<Record<string, Written>>): void => {
    const styles = Object.values(files).filter(({ fileName }) => fileName.endsWith(".css"));
    if (styles.length > 1)
      throw new Error("A lazy file has styles of its own, which nothing loads.");
  },
} as const;
