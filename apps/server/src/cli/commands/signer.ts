import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { askSigner } from "../../adapters/chains/signer-client.ts";
import type { AddressesAnswer, StatusAnswer } from "../../signer/protocol.ts";
import { readSignLog } from "../../signer/sign-log.ts";
import { type Command, type CommandOption, UsageError } from "../command.ts";
import { fields, table } from "../table.ts";

export const PASSPHRASE_FILE: CommandOption = {
  value: "FILE",
  description:
    "A file with the passphrase on its first line. Default: standard input, or a question on a terminal.",
};

const SOCKET: CommandOption = {
  value: "PATH",
  required: true,
  description: "The signer's Unix socket, as an absolute path.",
};

export const signerRun: Command = {
  name: "signer run",
  summary: "Run the signer: a process with the keys, and without network and database.",
  options: {
    folder: { value: "FOLDER", required: true, description: "The folder that signer init made." },
    socket: SOCKET,
    "passphrase-file": PASSPHRASE_FILE,
  },
  example: "signer run --folder /var/lib/exchange-signer --socket /run/exchange-signer/signer.sock",
  run: (_, input) =>
    new Promise((resolve, reject) => {
      const passphraseFile = input.one("passphrase-file");
      const words = [
        fileURLToPath(new URL("../../signer/main.js", import.meta.url)),
        ...["--folder", input.required("folder"), "--socket", input.required("socket")],
        ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
      ];
      // This process has loaded the whole service. The keys are opened in one that has not, without its settings.
      const signer = spawn(process.execPath, words, { stdio: "inherit", env: {} });
      const forward = (signal: NodeJS.Signals): void => void signer.kill(signal);
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, forward);
      signer.once("error", reject);
      signer.once("exit", (code) => {
        for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, forward);
        resolve({ json: null, text: "", written: true, ok: code === 0 });
      });
    }),
};

export const signerStatus: Command = {
  name: "signer status",
  summary: "Show the running signer: its log, its wallets and the highest nonce that each signed.",
  options: { socket: SOCKET },
  example: "signer status --socket /run/exchange-signer/signer.sock",
  run: async (_, input) => {
    const status = await askSigner<StatusAnswer>(input.required("socket"), { op: "status" });
    const wallets = Object.entries(status.wallets).map(([name, wallet]) => [
      name,
      wallet.network,
      wallet.keystore,
      wallet.path,
      wallet.address ?? wallet.publicKey ?? "",
    ]);
    const accounts = Object.entries(status.accounts).map(([name, account]) => [
      name,
      String(account.signatures),
      account.highest ?? "",
    ]);
    const text = [
      fields({
        Installation: status.installation,
        "Hot seed": status.fingerprints.hot,
        "Deposit seed": status.fingerprints.deposits,
        Signatures: String(status.logEntries),
        "Log head": status.logHead,
      }),
      table([["WALLET", "NETWORK", "KEYSTORE", "PATH", "ADDRESS OR PUBLIC KEY"], ...wallets]),
      table([["ACCOUNT", "SIGNATURES", "HIGHEST NONCE"], ...accounts]),
    ].join("\n\n");
    return { json: status, text };
  },
};

export const signerAddresses: Command = {
  name: "signer addresses",
  summary: "List addresses that the running signer derives for a wallet, to compare them.",
  options: {
    socket: SOCKET,
    wallet: { value: "NAME", required: true, description: "A wallet of the policy." },
    from: { value: "NUMBER", description: "The first address. Default: 0." },
    count: { value: "NUMBER", description: "How many. Default: 10, at most 1000." },
  },
  example:
    "signer addresses --socket /run/exchange-signer/signer.sock --wallet ethereum-deposits --count 20",
  run: async (_, input) => {
    const request = {
      op: "addresses" as const,
      wallet: input.required("wallet"),
      from: numberOf("from", input.one("from") ?? "0", { min: 0, max: 2 ** 31 - 1001 }),
      count: numberOf("count", input.one("count") ?? "10", { min: 1, max: 1_000 }),
    };
    const { addresses } = await askSigner<AddressesAnswer>(input.required("socket"), request);
    const rows = addresses.map(({ path, address }) => [path, address]);
    return { json: addresses, text: table([["PATH", "ADDRESS"], ...rows]) };
  },
};

export const signerVerifyLog: Command = {
  name: "signer verify-log",
  summary: "Check that no line of a sign log, or of a copy of it, was changed.",
  options: {
    log: {
      value: "FILE",
      required: true,
      description: "The log: sign.log in the signer's folder.",
    },
  },
  argument: "log",
  example: "signer verify-log /var/lib/exchange-signer/sign.log",
  run: async (_, input) => {
    const { head, signatures, digest, tornBytes } = readSignLog(input.required("log"));
    const last = signatures.at(-1);
    const lastAt = last === undefined ? null : new Date(last.at).toISOString();
    const json = {
      installation: head.installation,
      signatures: signatures.length,
      lastAt,
      logHead: digest,
      tornBytes,
    };
    const torn = tornBytes > 0 ? ` ${tornBytes} bytes of an unfinished line follow.` : "";
    const text = fields({
      Installation: head.installation,
      Signatures: String(signatures.length),
      "Last signature": lastAt ?? "none",
      "Log head": digest,
      Result: `Each line follows from the line before it.${torn}`,
    });
    return { json, text };
  },
};

function numberOf(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${name} must be a number from ${min} to ${max}, not "${text}".`);
}
