// The options of `npm test`.

/** Options whose value is the next argument, if it is not in the same one. */
const VALUED = ["-t", "--testNamePattern", "--project"];

/** Returns the projects and the files that Vitest's options name. */
export function namedIn(options) {
  const valueOf = (index) => (VALUED.includes(options[index - 1]) ? options[index - 1] : undefined);
  const projects = options.flatMap((option, index) => {
    if (option.startsWith("--project=")) return [option.slice("--project=".length)];
    return valueOf(index) === "--project" ? [option] : [];
  });
  const files = options.filter(
    (option, index) => !option.startsWith("-") && valueOf(index) === undefined,
  );
  return { projects, files };
}
