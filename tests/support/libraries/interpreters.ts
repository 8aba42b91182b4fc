import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
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
  const path = process.env["PATH"] ?? "";
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...options, file], {
      env: { PATH: path, ...interpreter.env, ...env },
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 && err === "") resolve(out);
      else reject(new Error(`${file} ended with ${code}: ${err || out}`));
    });
    child.stdin.end(input);
  });
}
