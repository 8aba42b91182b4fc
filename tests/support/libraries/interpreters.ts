import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HERE = `${ROOT}tests/support/libraries`;

/** An interpreter that finds its library. `npm test` names the interpreters that it found. */
export interface Interpreter {
  readonly program: string;
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const PYTHON: Interpreter = {
  program: process.env["PYTHON_PATH"] ?? "/usr/bin/python3",
  options: ["-W", "error"],
  env: { PYTHONPATH: `${ROOT}sdk/python/src`, PYTHONDONTWRITEBYTECODE: "1" },
};

export const PHP: Interpreter = {
  program: process.env["PHP_PATH"] ?? "/usr/bin/php",
  options: [
    ...["-d", "error_reporting=E_ALL", "-d", "display_errors=stderr"],
    ...["-d", `auto_prepend_file=${HERE}/autoload.php`],
  ],
  env: { LIBRARY: `${ROOT}sdk/php/src` },
};

export const SHELL: Interpreter = { program: "/bin/sh", options: [], env: {} };
export const NODE: Interpreter = { program: process.execPath, options: [], env: {} };

/** The languages of the documents' samples: the label of the tab, and the ending of a file. */
export const SAMPLE_LANGUAGES = {
  curl: { interpreter: SHELL, ending: "sh" },
  Node: { interpreter: NODE, ending: "mjs" },
  Python: { interpreter: PYTHON, ending: "py" },
  PHP: { interpreter: PHP, ending: "php" },
} as const;
export type SampleLabel = keyof typeof SAMPLE_LANGUAGES;

/** Makes a folder for samples, with the file of Composer that the PHP samples load. */
export async function makeSampleFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-samples-"));
  await mkdir(path.join(folder, "vendor"));
  await writeFile(path.join(folder, "vendor/autoload.php"), "<?php");
  return folder;
}

/** The text of a sample that loads the Node library from this tree. */
export const withLibrary = (sample: string): string =>
  sample.replace('"@exchange/node"', JSON.stringify(import.meta.resolve("@exchange/node")));

export const isThere = ({ program }: Interpreter): boolean => existsSync(program);

interface Run {
  readonly interpreter: Interpreter;
  readonly file: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program. Returns what it printed, and rejects if it fails or complains. */
export function runProgram({ interpreter, file, input = "", env = {} }: Run): Promise<string> {
  const { program, options } = interpreter;
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...options, file], {
      env: { PATH: process.env["PATH"] ?? "", ...interpreter.env, ...env },
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 && err === "") resolve(out);
      else reject(new Error(`${file} ended with ${code}: ${err || out}`));
    });
    // A program may end before it reads its input. Its exit code and output tell whether that is wrong.
    child.stdin.on("error", () => undefined).end(input);
  });
}
