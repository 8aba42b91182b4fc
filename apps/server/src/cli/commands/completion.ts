import type { Command } from "../command.ts";

/** Makes the command that prints the completion of a table of commands, which may contain the command itself. */
export const makeCompletion = (commands: () => readonly Command[]): Command => ({
  name: "completion",
  summary: "Print the completion of this command line for bash.",
  options: {},
  example: "completion",
  run: async () => {
    const text = bashCompletion(commands());
    return { json: { shell: "bash", script: text }, text };
  },
});

/** Returns a script that completes words from a fixed list, so that a press of Tab starts no program. */
function bashCompletion(commands: readonly Command[]): string {
  const choices = new Map<string, Set<string>>();
  const offer = (after: string, words: readonly string[]): void => {
    choices.set(after, new Set([...(choices.get(after) ?? []), ...words]));
  };
  for (const { name, options } of commands) {
    const [word = "", subcommand] = name.split(" ");
    offer("", [word]);
    if (subcommand !== undefined) offer(word, [subcommand]);
    offer(
      name,
      [...Object.keys(options), "json", "help"].map((option) => `--${option}`),
    );
  }
  const cases = [...choices].map(
    ([after, words]) => `    "${after}") words="${[...words].sort().join(" ")}" ;;`,
  );
  return `# Load it with: source <(exchange completion)
_exchange() {
  local words="" before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  before="\${before%% -*}"
  case "$before" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _exchange exchange`;
}
