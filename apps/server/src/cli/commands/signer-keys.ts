import { readFileSync } from "node:fs";
import { parseReleaseText, ReleaseTextError } from "../../domain/payouts/release-text.ts";
import {
  approveRelease,
  makeApproverKey,
  makeReleaseKey,
  makeSeedWords,
  makeSignerFolder,
  parseSeedWords,
} from "../../signer/ceremony.ts";
import { makePolicy } from "../../signer/new-policy.ts";
import { readPassphrase } from "../../signer/passphrase.ts";
import { readPrivateFile } from "../../signer/private-file.ts";
import { SignerError } from "../../signer/signer-error.ts";
import { type Command, UsageError } from "../command.ts";
import { fields } from "../table.ts";
import { PASSPHRASE_FILE } from "./signer.ts";

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SignerError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

export const signerInit: Command = {
  name: "signer init",
  summary: "Make a signer's folder: two sealed seeds, a policy that allows nothing yet, and a log.",
  options: {
    folder: { value: "FOLDER", required: true, description: "A new folder for its files." },
    installation: {
      value: "NAME",
      required: true,
      description: "The installation's name. Releases of another installation are refused.",
    },
    "release-key": {
      value: "KEY",
      required: true,
      description: "The public half of the worker's release key, as signer new-key prints it.",
    },
    approver: {
      value: "NAME=KEY",
      multiple: true,
      description: "An operator's name and the public half of their key.",
    },
    network: {
      value: "CODE=CHAIN",
      required: true,
      multiple: true,
      description: "A network, such as ethereum=evm:1 or bitcoin=bitcoin:mainnet.",
    },
    "words-file": {
      value: "FILE",
      description:
        "Restores seeds: the hot seed's words on the first line, the deposit seed's on the second. Default: new seeds.",
    },
    "passphrase-file": PASSPHRASE_FILE,
  },
  example:
    "signer init --folder /var/lib/exchange-signer --installation shop-1 --release-key ed25519:… --network ethereum=evm:1",
  run: async (_, input) => {
    const wordsFile = input.one("words-file");
    const words = wordsFile === undefined ? makeSeedWords() : parseSeedWords(readText(wordsFile));
    const folder = input.required("folder");
    const policy = makePolicy({
      installation: input.required("installation"),
      releaseKey: input.required("release-key"),
      approvers: input.many("approver"),
      networks: input.many("network"),
    });
    const passphrase = await readPassphrase(input.one("passphrase-file"), { isNew: true });
    const fingerprints = makeSignerFolder(folder, { policy, words, passphrase });
    const newWords = wordsFile === undefined ? words : null;
    const paper =
      newWords === null
        ? "The seeds were restored from the words."
        : "Write these words on paper, each list apart. They are shown once and are the only backup.\n\n" +
          `Hot seed:     ${newWords.hot}\n\nDeposit seed: ${newWords.deposits}`;
    const next = `Write assets and limits into ${folder}/policy.json: until then the signer signs no payment.`;
    const summary = fields({ "Hot seed": fingerprints.hot, "Deposit seed": fingerprints.deposits });
    return {
      json: { folder, fingerprints, words: newWords },
      text: `${paper}\n\n${summary}\n\n${next}`,
    };
  },
};

export const signerNewKey: Command = {
  name: "signer new-key",
  summary:
    "Make an Ed25519 key: the worker's, to release payouts, or an operator's, to approve them.",
  options: {
    for: {
      value: "USE",
      required: true,
      description: "release (the worker's, not sealed) or approver (an operator's, sealed).",
    },
    file: { value: "FILE", required: true, description: "A new file for the private half." },
    "passphrase-file": PASSPHRASE_FILE,
  },
  example: "signer new-key --for approver --file anna.key",
  run: async (_, input) => {
    const use = input.required("for");
    if (use !== "release" && use !== "approver") {
      throw new UsageError(`--for must be release or approver, not "${use}".`);
    }
    const file = input.required("file");
    const publicKey =
      use === "release"
        ? makeReleaseKey(file)
        : makeApproverKey(
            file,
            await readPassphrase(input.one("passphrase-file"), { isNew: true }),
          );
    return { json: { file, publicKey }, text: `The private half is in ${file}.\n${publicKey}` };
  },
};

export const signerApprove: Command = {
  name: "signer approve",
  summary: "Show a release and, with a key, sign its approval.",
  options: {
    "release-file": {
      value: "FILE",
      required: true,
      description: "The release's text, exactly as the worker wrote it.",
    },
    "key-file": {
      value: "FILE",
      description: "Your sealed key. Without it the release is only shown.",
    },
    name: { value: "NAME", description: "Your name in the policy file. Required with --key-file." },
    "passphrase-file": PASSPHRASE_FILE,
  },
  example: "signer approve --release-file release.txt --key-file anna.key --name anna",
  run: async (_, input) => {
    const text = readText(input.required("release-file"));
    const release = readRelease(text);
    const summary = fields({
      Installation: release.installation,
      Intent: release.intent,
      Order: `${release.order}, ${release.purpose}`,
      Pays: `${release.units} units of ${release.asset} on ${release.network}`,
      To: release.memo === null ? release.address : `${release.address}, memo ${release.memo}`,
      From: `${release.wallet}, ${text.split("\n").find((line) => line.startsWith("place ")) ?? ""}`,
      Released: release.releasedAt.toISOString(),
    });
    const keyFile = input.one("key-file");
    if (keyFile === undefined) return { json: { release: text }, text: summary };
    const name = input.one("name");
    if (name === undefined)
      throw new UsageError("--name is missing. Write your name in the policy file.");
    const passphrase = await readPassphrase(input.one("passphrase-file"));
    const signature = approveRelease(text, readPrivateFile(keyFile), passphrase);
    const approval = { name, signature };
    return { json: approval, text: `${summary}\n\nApproval: ${JSON.stringify(approval)}` };
  },
};

function readRelease(text: string) {
  try {
    return parseReleaseText(text);
  } catch (error) {
    if (!(error instanceof ReleaseTextError)) throw error;
    throw new SignerError(`${error.message} Use the file exactly as the worker wrote it.`);
  }
}
