import { type Command, UsageError } from "../command.ts";

/** The words that may follow each beginning of a line, which is empty, a group of commands or a command. */
type Choices = ReadonlyMap<string, readonly string[]>;

/** The script of each shell. Its list of words is fixed, so that Tab starts no program. */
const SCRIPTS: Readonly<Record<string, (choices: Choices) => string>> = {
  bash: (choices) => `# Load it with: source <(exchange completion bash)
_exchange() {
  local words="" before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  before="\${before%% -*}"
  case "$before" in
${casesOf(choices, (after, words) => `    "${after}") words="${words.join(" ")}" ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _exchange exchange`,
  zsh: (choices) => `#compdef exchange
# Load it after compinit with: source <(exchange completion zsh)
_exchange() {
  local -a choices
  local before="\${(j: :)words[2,CURRENT-1]}"
  before="\${before%% -*}"
  case "$before" in
${casesOf(choices, (after, words) => `    "${after}") choices=(${words.join(" ")}) ;;`)}
  esac
  compadd -- $choices
}
if [ "$funcstack[1]" = _exchange ]; then _exchange "$@"; else compdef _exchange exchange; fi`,
  fish: (choices) => `# Load it with: exchange completion fish | source
function __exchange_words
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l before
    for word in $typed
        string match -q -- '-*' $word; and break
        set -a before $word
    end
    switch "$before"
${casesOf(choices, (after, words) => `        case '${after}'\n            printf '%s\\n' ${words.join(" ")}`)}
    end
end
complete -c exchange -f -a '(__exchange_words)'`,
};

/** Makes the command that prints the completion of a table of commands, which may contain the command itself. */
export const makeCompletion = (commands: () => readonly Command[]): Command => ({
  name: "completion",
  summary: "Print the completion of this command line for bash, zsh or fish.",
  options: { shell: { value: "SHELL", description: "bash, zsh or fish. Default: bash." } },
  argument: "shell",
  example: "completion zsh",
  run: async (_context, input) => {
    const shell = input.one("shell") ?? "bash";
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) {
      throw new UsageError(
        `"${shell}" is not a supported shell. Use one of: ${Object.keys(SCRIPTS).join(", ")}.`,
      );
    }
    const text = script(choicesOf(commands()));
    return { json: { shell, script: text }, text };
  },
});

function choicesOf(commands: readonly Command[]): Choices {
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
  return new Map([...choices].map(([after, words]) => [after, [...words].sort()]));
}

/** Writes a case of a script for each beginning of a line. */
const casesOf = (
  choices: Choices,
  write: (after: string, words: readonly string[]) => string,
): string => [...choices].map(([after, words]) => write(after, words)).join("\n");
