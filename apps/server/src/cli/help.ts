import type { Command } from "./command.ts";

/** Help of everything, or of the commands that begin with one word. */
export function listHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "The operator's command line of Exchange. It works beside a running service.",
    "",
    "Usage: npx exchange <command> [options]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "Every command takes --json for output that programs read, and --help.",
    "It reads the same environment variables as the service: docs/reference/configuration.md.",
  ].join("\n");
}

export function commandHelp(command: Command): string {
  const options = [
    ...Object.entries(command.options).map(
      ([name, { value, required, multiple, description }]) => ({
        left: `--${name}${value === undefined ? "" : ` ${value}`}`,
        right: `${description}${required ? " Required." : ""}${multiple ? " May be repeated." : ""}`,
      }),
    ),
    { left: "--json", right: "Print the result as JSON." },
    { left: "--help", right: "Print this." },
  ];
  const width = Math.max(...options.map(({ left }) => left.length));
  return [
    command.summary,
    "",
    `Usage: npx exchange ${command.name} [options]`,
    "",
    ...options.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`),
    "",
    `Example: npx exchange ${command.example}`,
  ].join("\n");
}
