import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { loadBuilt } from "../service/built-module.ts";
import { ROOT } from "../service/service.ts";
import { linesOf } from "./blocks.ts";

interface Command {
  readonly name: string;
}
interface Program {
  parseAsync(words: readonly string[], options: { readonly from: "user" }): Promise<unknown>;
}
interface Setting {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

const { COMMANDS } = await loadBuilt<{ COMMANDS: readonly Command[] }>("cli/main.js");
const { makeProgram } = await loadBuilt<{
  makeProgram(commands: readonly Command[], host: object): Program;
}>("cli/program.js");
const { SETTINGS, FOREIGN_NAMES } = await loadBuilt<{
  SETTINGS: Readonly<Record<string, Setting>>;
  FOREIGN_NAMES: readonly string[];
}>("config/settings.js");
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

/** A line that calls our command line: the words after `exchange`. */
const COMMAND = /^(?:echo '[^']*' \| )?(?:\w+=\S+ )*(?:npx )?exchange(?: (.*))?$/;
/** A line that a shell reads from our command line. */
const SOURCED = /^source <\((exchange [\w ]+)\)/;
const ASSIGNMENTS = /^(?:export )?[A-Z_]+=/;

/** Returns the words of a line as a shell splits it, up to where its output goes. */
export function wordsOf(line: string): readonly string[] | undefined {
  const [, rest] = COMMAND.exec(line) ?? [];
  if (rest === undefined) return COMMAND.test(line) ? [] : undefined;
  const words = rest.replaceAll(/<[\w ]+>/g, "VALUE").replace(/ > \S+$/, "");
  return [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

/** Returns the check of a line that is ours. */
function checkOf(
  line: string,
): ((line: string) => string | undefined | Promise<string | undefined>) | undefined {
  if (wordsOf(line)) return faultOfCommand;
  if (/^(?:\w+=\S+ )*npm (run|test|start|ci|pack)\b/.test(line)) return faultOfScript;
  if (ASSIGNMENTS.test(line)) return faultOfSettings;
  const [, sourced] = SOURCED.exec(line) ?? [];
  if (sourced !== undefined) return () => faultOfCommand(sourced);
  return undefined;
}

/** Returns the faults of a block whose every line is ours: a command, a script of npm or a setting. */
export async function faultsOfLines(text: string): Promise<readonly string[] | undefined> {
  const lines = linesOf(text);
  const faults: string[] = [];
  for (const line of lines) {
    const check = checkOf(line);
    if (!check) return undefined;
    const fault = await check(line);
    if (fault !== undefined) faults.push(fault);
  }
  return lines.length === 0 ? undefined : faults;
}

/** Reads the line as the command line does, without running it. */
async function faultOfCommand(line: string): Promise<string | undefined> {
  let printed = "";
  const write = (words: string): void => void (printed += words);
  const program = makeProgram(COMMANDS, {
    ...{ version: "0", run: async () => {} },
    ...{ writeOut: write, writeError: write },
  });
  const words = wordsOf(line) ?? [];
  return program.parseAsync(words, { from: "user" }).then(
    () => undefined,
    () => `${line}: ${printed}`,
  );
}

function faultOfScript(line: string): string | undefined {
  const [, word, name = ""] = /npm (\w+)(?: (?:-- )?([\w:]+))?/.exec(line) ?? [];
  const script = word === "run" ? name : word;
  if (script === "pack" || script === "ci") return undefined;
  if (!scripts[script ?? ""]) return `${line}: there is no such script`;
  const [, campaign] = /^npm run campaign -- (\w+)/.exec(line) ?? [];
  const file = `tools/campaigns/${campaign}.mjs`;
  const isThere = campaign === undefined || existsSync(path.join(ROOT, file));
  return isThere ? undefined : `${line}: there is no such campaign`;
}

/** A line of an env file has one setting, whose value may hold spaces in single quotes. */
function faultOfSettings(line: string): string | undefined {
  const isExport = line.startsWith("export ");
  const each = isExport ? line.slice("export ".length).split(/ (?=[A-Z_]+=)/) : [line];
  const foreign = new Set([...FOREIGN_NAMES, "PATH"]);
  for (const one of each) {
    const [name = "", quoted = ""] = one.split(/=(.*)/s);
    const value = quoted.replace(/^'(.*)'$/, "$1");
    const setting = Object.values(SETTINGS).find((row) => row.name === name.replace(/_FILE$/, ""));
    if (foreign.has(name)) continue;
    if (!setting) return `${line}: ${name} is not a setting`;
    if (name === setting.name) setting.parse(value);
  }
  return undefined;
}
