import { runSigner } from "../signer/main.ts";
import { openSigner } from "../signer/open-signer.ts";
import { readPassphrase } from "../signer/passphrase.ts";
import type { SignLog } from "../signer/sign-log.ts";

/**
 * A signer that kills itself, as `kill -9` would, before or after the first line of its log is on the disk.
 * Crash tests run it with the words: folder, socket, passphrase file, "before_log" or "after_log".
 */
const [, , folder = "", socket = "", passphraseFile = "", moment = ""] = process.argv;
const parts = openSigner(folder, await readPassphrase(passphraseFile));
const log: SignLog = {
  digest: parts.log.digest,
  append: (signature) => {
    if (moment === "after_log") parts.log.append(signature);
    process.kill(process.pid, "SIGKILL");
  },
};
await runSigner({ ...parts, log }, socket);
