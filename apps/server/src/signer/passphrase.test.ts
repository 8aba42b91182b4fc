import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { readPassphrase, type Terminal } from "./passphrase.ts";

/** Makes a terminal at which these keys are pressed, one text after each question. */
function terminalWith(...typed: readonly string[]) {
  const shown: string[] = [];
  const modes: boolean[] = [];
  const keys = [...typed];
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
    pause: () => {},
    resume: () => {},
  });
  input.on("newListener", (name) => {
    if (name !== "data") return;
    setImmediate(() => input.emit("data", Buffer.from(keys.shift() ?? "")));
  });
  const output = { write: (text: string) => shown.push(text) };
  return { terminal: { input, output } as unknown as Terminal, shown, modes };
}

test("a terminal asks for the passphrase, ends at Enter and shows no key", async () => {
  const { terminal, shown, modes } = terminalWith("correct horsf\u007fe\r");
  expect(await readPassphrase(undefined, { terminal })).toBe("correct horse");
  expect(shown).toEqual(["Passphrase: ", "\n"]);
  expect(modes).toEqual([true, false]);
});

test("a new passphrase is asked for twice, and two that differ make nothing", async () => {
  const same = terminalWith("correct horse\r", "correct horse\r");
  expect(await readPassphrase(undefined, { isNew: true, ...same })).toBe("correct horse");
  expect(same.shown.join("")).toBe("Passphrase: \nThe same again: \n");
  const other = terminalWith("correct horse\r", "correct house\r");
  await expect(readPassphrase(undefined, { isNew: true, ...other })).rejects.toThrow(
    "The two passphrases differ",
  );
});

test("Enter alone at the question is refused with what to do at a terminal", async () => {
  const { terminal } = terminalWith("\r");
  await expect(readPassphrase(undefined, { terminal })).rejects.toThrow("Run it again and type it");
});

test("Ctrl-C at the question ends the command, with the terminal as it was", async () => {
  const { terminal, modes } = terminalWith("corr\u0003");
  await expect(readPassphrase(undefined, { terminal })).rejects.toThrow("Interrupted");
  expect(modes).toEqual([true, false]);
});

test("a file that cannot be read is named", async () => {
  await expect(readPassphrase("/nowhere/passphrase")).rejects.toThrow(
    "The passphrase cannot be read from /nowhere/passphrase: ENOENT.",
  );
});
