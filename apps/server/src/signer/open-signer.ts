import { join } from "node:path";
import { History } from "./history.ts";
import { openKeystore } from "./keystore.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readPrivateFile, requireClosedFolder } from "./private-file.ts";
import { openSignLog, readSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";
import type { SignerParts } from "./signing.ts";
import { Wallets } from "./wallets.ts";

/** The files of a signer's folder. */
export const FILES = {
  policy: "policy.json",
  hot: "hot.keystore",
  deposits: "deposits.keystore",
  log: "sign.log",
} as const;

/** Opens policy, keystores and log of a folder. Throws a `SignerError` that says what to do. */
export function openSigner(folder: string, passphrase: string): SignerParts {
  requireClosedFolder(folder, `Make it: exchange signer init --folder ${folder}`);
  const policy = parsePolicy(readPrivateFile(join(folder, FILES.policy)));
  const content = readSignLog(join(folder, FILES.log));
  if (content.head.installation !== policy.installation) {
    throw new SignerError(
      `The sign log is of installation "${content.head.installation}", the policy of "${policy.installation}".`,
    );
  }
  const open = (purpose: "hot" | "deposits") =>
    openKeystore(purpose, readPrivateFile(join(folder, FILES[purpose])), passphrase);
  const seeds = { hot: open("hot"), deposits: open("deposits") };
  const wallets = new Wallets(policy, seeds);
  for (const seed of Object.values(seeds)) seed.fill(0);
  const { hot, deposits } = wallets.fingerprints;
  if (content.head.hot !== hot || content.head.deposits !== deposits) {
    throw new SignerError(
      "The sign log belongs to other seeds than the keystores of this folder. Put together what belongs together.",
    );
  }
  const log = openSignLog(join(folder, FILES.log), content);
  return { policy, wallets, log, history: new History(content.signatures), now: Date.now };
}
