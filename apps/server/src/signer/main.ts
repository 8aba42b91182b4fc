import { realpathSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSigner } from "./open-signer.ts";
import { readPassphrase } from "./passphrase.ts";
import { makeService } from "./service.ts";
import { SignerError } from "./signer-error.ts";
import type { SignerParts } from "./signing.ts";
import { listen } from "./socket.ts";

const say = (line: string): void => console.log(`signer: ${line}`);

/** Starts the signer of a folder and answers until a signal ends the process. */
export async function runSigner(parts: SignerParts, socketPath: string): Promise<void> {
  // Node would open a debugger on this signal, and with it the memory that holds the keys.
  process.on("SIGUSR1", () => {});
  const exitSoon = () => setImmediate(() => process.exit(1));
  const service = makeService(parts, { report: say, onBroken: exitSoon });
  const listener = await listen(socketPath, service.answer);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void listener.close().then(() => process.exit(0)));
  }
  if (canReachNetwork()) {
    say("warning: this process can see a network. Take it away (docs/operating/signer.md).");
  }
  say(`ready on ${socketPath}, ${parts.history.count()} signatures in the log`);
}

const canReachNetwork = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ internal }) => !internal),
  );

async function runFromArguments(): Promise<void> {
  process.umask(0o077);
  try {
    const { values } = parseArgs({
      options: {
        folder: { type: "string" },
        socket: { type: "string" },
        "passphrase-file": { type: "string" },
      },
    });
    const { folder, socket } = values;
    if (folder === undefined || socket === undefined) {
      throw new SignerError("--folder and --socket are needed. Run: exchange signer run --help");
    }
    const parts = openSigner(folder, await readPassphrase(values["passphrase-file"]));
    await runSigner(parts, socket);
  } catch (error) {
    console.error(error instanceof SignerError ? `signer: ${error.message}` : error);
    process.exit(1);
  }
}

const isCommand =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isCommand) await runFromArguments();
