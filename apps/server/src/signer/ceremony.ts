import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HDKey } from "@scure/bip32";
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { writeApprovalText } from "../domain/payouts/release-text.ts";
import { openKeystore, sealKeystore } from "./keystore.ts";
import { FILES } from "./open-signer.ts";
import { parsePolicy } from "./parse-policy.ts";
import { type PolicyFile, printPublicKey } from "./policy.ts";
import { makePrivateFile } from "./private-file.ts";
import { makeSignLog } from "./sign-log.ts";
import { SignerError } from "./signer-error.ts";

const WORD_COUNT_BITS = 256;

export interface SeedWords {
  readonly hot: string;
  readonly deposits: string;
}

/** Returns two new lists of 24 words. They are the only backup of the seeds. */
export const makeSeedWords = (): SeedWords => ({
  hot: generateMnemonic(wordlist, WORD_COUNT_BITS),
  deposits: generateMnemonic(wordlist, WORD_COUNT_BITS),
});

/** Returns the words of a backup: the first line has the hot seed, the second the deposit seed. */
export function parseSeedWords(text: string): SeedWords {
  const [hot = "", deposits = ""] = text.split("\n").map((line) => line.trim().toLowerCase());
  for (const [noun, words] of Object.entries({ first: hot, second: deposits })) {
    if (!validateMnemonic(words, wordlist)) {
      throw new SignerError(
        `The ${noun} line is not a list of BIP-39 words, or its checksum is wrong.`,
      );
    }
  }
  if (hot === deposits) {
    throw new SignerError(
      "Both lines are the same. The hot and the deposit wallets need seeds of their own.",
    );
  }
  return { hot, deposits };
}

/** Makes the files of a signer. Nothing that exists is written over. Returns the seeds' fingerprints. */
export function makeSignerFolder(
  folder: string,
  { policy, words, passphrase }: { policy: PolicyFile; words: SeedWords; passphrase: string },
): { hot: string; deposits: string } {
  const policyText = `${JSON.stringify(policy, null, 2)}\n`;
  parsePolicy(policyText);
  const seeds = {
    hot: mnemonicToSeedSync(words.hot),
    deposits: mnemonicToSeedSync(words.deposits),
  };
  const keystores = {
    hot: sealKeystore("hot", seeds.hot, passphrase),
    deposits: sealKeystore("deposits", seeds.deposits, passphrase),
  };
  const fingerprints = { hot: fingerprintOf(seeds.hot), deposits: fingerprintOf(seeds.deposits) };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const present = Object.values(FILES).filter((name) => existsSync(join(folder, name)));
  if (present.length > 0) {
    throw new SignerError(`${folder} has ${present.join(", ")} already. Name an empty folder.`);
  }
  makePrivateFile(join(folder, FILES.policy), policyText);
  makePrivateFile(join(folder, FILES.hot), keystores.hot);
  makePrivateFile(join(folder, FILES.deposits), keystores.deposits);
  makeSignLog(join(folder, FILES.log), { installation: policy.installation, ...fingerprints });
  return fingerprints;
}

/** Returns the extended public key of an account, from which a service derives addresses without a key. */
export const publicAccount = (words: string, path: string): string =>
  HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(path).publicExtendedKey;

const fingerprintOf = (seed: Uint8Array): string =>
  HDKey.fromMasterSeed(seed).fingerprint.toString(16).padStart(8, "0");

/** Makes an operator's key. It is sealed like a seed. Returns the public half for the policy file. */
export function makeApproverKey(path: string, passphrase: string): string {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const secret = privateKey.export({ format: "der", type: "pkcs8" });
  makePrivateFile(path, sealKeystore("approver", secret, passphrase));
  return printPublicKey(publicKey);
}

/** Makes the worker's release key. It is not sealed, because the worker starts without a person. */
export function makeReleaseKey(path: string): string {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  makePrivateFile(path, String(privateKey.export({ format: "pem", type: "pkcs8" })));
  return printPublicKey(publicKey);
}

/** Signs the approval of a release with an operator's sealed key. */
export function approveRelease(releaseText: string, keystore: string, passphrase: string): string {
  const secret = openKeystore("approver", keystore, passphrase);
  const key: KeyObject = createPrivateKey({
    key: Buffer.from(secret),
    format: "der",
    type: "pkcs8",
  });
  secret.fill(0);
  return sign(null, Buffer.from(writeApprovalText(releaseText)), key).toString("base64");
}
