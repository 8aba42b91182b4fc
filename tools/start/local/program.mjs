// A program of the local chain: its process, its log, and the wait until it answers.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const START_MS = 30_000;
const RETRY_MS = 50;

/** Starts a program that writes its output to a log in the folder. `ended` resolves with a sentence. */
export function startProgram({ name, file, words, folder }) {
  const logName = `${name.replaceAll(/^the /g, "")}.log`;
  const log = openSync(join(folder, logName), "a", 0o600);
  const child = spawn(file, words, { stdio: ["ignore", log, log] });
  closeSync(log);
  let hasEnded = false;
  const ended = new Promise((onEnd) => {
    child.once("error", (error) => onEnd(`${name} could not be started: ${error.message}`));
    child.once("exit", (code, signal) => onEnd(`${name} ended (${signal ?? code})`));
  });
  // It never outlives its keeper.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  void ended.then(() => {
    hasEnded = true;
    process.off("exit", kill);
  });
  return {
    pid: child.pid,
    ended,
    stop: async (signal) => {
      child.kill(signal);
      await ended;
    },
    /** Asks until there is an answer. Throws when the program ends before. */
    waitFor: async (ask) => {
      const start = performance.now();
      for (;;) {
        const answer = await ask().catch(() => undefined);
        if (hasEnded) throw new Error(`${await ended}; ${logName} may say why`);
        if (answer !== undefined) return answer;
        if (performance.now() - start > START_MS) {
          throw new Error(`${name} did not answer in time; ${logName} may say why`);
        }
        await sleep(RETRY_MS);
      }
    },
  };
}
