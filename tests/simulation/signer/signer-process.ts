import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { makeSignerFolder } from "../../../apps/server/src/signer/ceremony.ts";
import type { PolicyFile } from "../../../apps/server/src/signer/policy.ts";
import { TEST_POLICY, TEST_WORDS } from "../../../apps/server/src/testing/signer.ts";
import { ROOT } from "../../support/service/service.ts";

const DIST = path.join(ROOT, "apps/server/dist");
const PASSPHRASE = "correct horse battery staple";

export interface SignerFiles {
  readonly folder: string;
  readonly socket: string;
  readonly passphraseFile: string;
}

export interface SignerProcess {
  readonly pid: number;
  /** Everything that it wrote to its output. */
  readonly output: () => string;
  /** Resolves with the exit code, or with null if a signal ended it. */
  readonly exited: Promise<number | null>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const makeParent = (): string => mkdtempSync(path.join(tmpdir(), "exchange-signer-"));

/** Sealing takes a second, so the tests copy one folder. */
let template: string | undefined;

/** Makes the files of a signer with the public test seeds. */
export function makeSignerFiles(policy: PolicyFile = TEST_POLICY): SignerFiles {
  if (template === undefined) {
    const made = path.join(makeParent(), "keys");
    makeSignerFolder(made, { policy: TEST_POLICY, words: TEST_WORDS, passphrase: PASSPHRASE });
    template = made;
  }
  const parent = makeParent();
  const folder = path.join(parent, "keys");
  cpSync(template, folder, { recursive: true });
  writeFileSync(path.join(folder, "policy.json"), JSON.stringify(policy));
  const passphraseFile = path.join(parent, "passphrase");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  return { folder, socket: path.join(parent, "signer.sock"), passphraseFile };
}

/** Starts the built signer. It resolves when the signer listens or has ended. */
export const startSigner = ({ folder, socket, passphraseFile }: SignerFiles) =>
  startScript("signer/main.js", [
    ...["--folder", folder, "--socket", socket],
    ...["--passphrase-file", passphraseFile],
  ]);

/** Starts it with the operator's command. */
export const runThroughCommand = ({ folder, socket, passphraseFile }: SignerFiles) =>
  startScript("../bin/exchange.js", [
    ...["signer", "run", "--folder", folder, "--socket", socket],
    ...["--passphrase-file", passphraseFile],
  ]);

/** Starts a signer that kills itself around the first line that it would write to its log. */
export const startSignerThatDies = (
  { folder, socket, passphraseFile }: SignerFiles,
  moment: "before_log" | "after_log",
) => startScript("testing/signer-that-dies.js", [folder, socket, passphraseFile, moment]);

async function startScript(script: string, args: readonly string[]): Promise<SignerProcess> {
  const child = spawn(process.execPath, [path.join(DIST, script), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {},
  });
  return followProcess(child);
}

/** Follows a process that prints "ready" when the signer listens. */
async function followProcess(child: ChildProcess): Promise<SignerProcess> {
  let output = "";
  // The end may be known before the last output, which the next turn reads.
  const exited = once(child, "exit").then(async ([code]) => {
    await turn();
    await turn();
    return code as number | null;
  });
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data) => {
        output += String(data);
        if (output.includes("ready on")) resolve();
      });
    }
  });
  await Promise.race([ready, exited]);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    kill: async (signal = "SIGKILL") => {
      child.kill(signal);
      await exited;
    },
  };
}
