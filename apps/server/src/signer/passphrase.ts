import { readFileSync } from "node:fs";
import { SignerError } from "./signer-error.ts";

/** The parts of a terminal that a passphrase is typed into. */
export interface Terminal {
  readonly input: Pick<
    NodeJS.ReadStream,
    "isTTY" | "setRawMode" | "on" | "off" | "pause" | "resume"
  >;
  readonly output: Pick<NodeJS.WriteStream, "write">;
}

const HERE: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Reads the first line of the file, or of standard input. On a terminal it asks for the passphrase and does not show it,
 * and asks twice for one that will seal something.
 */
export async function readPassphrase(
  path: string | undefined,
  { isNew = false, terminal = HERE }: { isNew?: boolean; terminal?: Terminal } = {},
): Promise<string> {
  const isTyped = path === undefined && terminal.input.isTTY;
  const line = isTyped ? await ask(terminal, "Passphrase: ") : firstLineOf(path ?? 0);
  if (line === "") {
    const fix = isTyped ? "Run it again and type it." : "Write it on the first line.";
    throw new SignerError(`The passphrase is empty. ${fix}`);
  }
  if (isTyped && isNew && (await ask(terminal, "The same again: ")) !== line) {
    throw new SignerError("The two passphrases differ, so nothing was made. Run it again.");
  }
  return line;
}

function firstLineOf(file: string | number): string {
  try {
    return readFileSync(file, "utf8").split("\n")[0] ?? "";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SignerError(
      `The passphrase cannot be read from ${file || "standard input"}: ${code}.`,
    );
  }
}

const INTERRUPT = "\u0003";
const ENDS: readonly string[] = ["\r", "\n", "\u0004"];
const ERASES: readonly string[] = ["\b", "\u007f"];

/** Reads a line key by key, because a terminal shows lines that it reads itself. */
function ask({ input, output }: Terminal, question: string): Promise<string> {
  output.write(question);
  input.setRawMode(true);
  let line = "";
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      input.off("data", take);
      input.pause();
      input.setRawMode(false);
      output.write("\n");
      settle();
    };
    const take = (keys: Buffer): void => {
      for (const key of keys.toString("utf8")) {
        if (key === INTERRUPT) return end(() => reject(new SignerError("Interrupted.")));
        if (ENDS.includes(key)) return end(() => resolve(line));
        line = ERASES.includes(key) ? line.slice(0, -1) : line + key;
      }
    };
    input.on("data", take);
    input.resume();
  });
}
