import { createHash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { makePrivateFile, requirePrivateFile } from "./private-file.ts";
import { SignerError } from "./signer-error.ts";

/** One payment of a signed transaction. `cents` count against the limits only where `isFirst`. */
export interface LoggedPayment {
  readonly intent: string;
  /** The digest of the payment without its place. */
  readonly digest: string;
  readonly asset: string;
  readonly cents: string;
  readonly isFirst: boolean;
}

/** One signature. Amounts are text, because JSON's numbers are not exact. */
export interface LoggedSignature {
  readonly at: number;
  /**
   * `raise`: our own change to our own change, with a fee for the transaction that made it. `consolidation`: coins of a
   * wallet to one coin of its change.
   */
  readonly kind: "payment" | "sweep" | "cancel" | "raise" | "consolidation";
  readonly network: string;
  /** A wallet, or one address of a wallet of many. */
  readonly account: string;
  /** "<chain>/<address>#<nonce>", or each coin that is spent: "<transaction>:<output>". None on Tron. */
  readonly places: readonly string[];
  /** The time from which no block takes it, in milliseconds. Absent where a place excludes others. */
  readonly expiresAt?: number;
  readonly payments: readonly LoggedPayment[];
  /** Where a sweep moves which asset. Null for payments and cancels. */
  readonly sweep: { readonly to: string; readonly asset: string; readonly units: string } | null;
  readonly approvedBy: readonly string[];
  /** The numbers that a replacement must raise: fees in the network's own unit, or the last ledger that may have it. */
  readonly prices: readonly string[];
  /** The highest fee that this transaction can cost, and the part above the one that it replaces. */
  readonly fee: string;
  readonly feeAdded: string;
  /** The part of both that is rent of a token account. Absent where there is none. */
  readonly rent?: string;
  /** The request, as `questionOf` names it. */
  readonly question: string;
  readonly hash: string;
  readonly bytes: string;
}

interface LogHead {
  readonly format: "exchange-sign-log/1";
  readonly installation: string;
  readonly hot: string;
  readonly deposits: string;
}

export interface SignLogContent {
  readonly head: LogHead;
  readonly signatures: readonly LoggedSignature[];
  /** The digest of the last complete line. */
  readonly digest: string;
  readonly bytes: number;
  /** Bytes of a last line that has no line end. Its signature never left the signer. */
  readonly tornBytes: number;
}

export interface SignLog {
  readonly digest: () => string;
  /** Writes a line and flushes it to the disk. Only then may the signature leave the process. */
  append(signature: LoggedSignature): void;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Makes the log of an installation. A signer without its log does not start, so no deletion resets the limits. */
export function makeSignLog(path: string, head: Omit<LogHead, "format">): void {
  makePrivateFile(path, `${JSON.stringify({ format: "exchange-sign-log/1", ...head })}\n`);
}

/** Reads a log and checks that each line has the digest of the line before it. */
export function readSignLog(path: string): SignLogContent {
  requirePrivateFile(path);
  const text = readFileSync(path, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  const [first = "", ...lines] = complete.split("\n").slice(0, -1);
  const head = parseLine(first, 1) as LogHead;
  if (head.format !== "exchange-sign-log/1") {
    throw new SignerError(`${path} is not a sign log. Name the log that "signer init" made.`);
  }
  let digest = digestOf(first);
  const signatures: LoggedSignature[] = [];
  for (const [index, line] of lines.entries()) {
    const { previous, ...signature } = parseLine(line, index + 2) as LoggedSignature & {
      readonly previous: string;
    };
    if (previous !== digest) {
      throw new SignerError(
        `Line ${index + 2} of the sign log does not follow from the line before it: the log was changed. ` +
          "Restore it from its copy on another host (docs/operating/signer.md).",
      );
    }
    signatures.push(signature);
    digest = digestOf(line);
  }
  const bytes = Buffer.byteLength(complete);
  return { head, signatures, digest, bytes, tornBytes: Buffer.byteLength(text) - bytes };
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new SignerError(
      `Line ${number} of the sign log cannot be read: the log was changed. ` +
        "Restore it from its copy on another host (docs/operating/signer.md).",
    );
  }
}

/** Opens the log to append to it. A torn last line is cut off. */
export function openSignLog(path: string, content: SignLogContent): SignLog {
  const file = openSync(path, "a");
  let { digest, bytes } = content;
  let isBroken = false;
  if (content.tornBytes > 0) {
    const writable = openSync(path, "r+");
    ftruncateSync(writable, bytes);
    fsyncSync(writable);
    closeSync(writable);
  }
  const append = (signature: LoggedSignature): void => {
    if (isBroken)
      throw new SignLogBroken("A line could not be written before. Restart the signer.");
    // Another signer on the same log would sign what this one does not count.
    const requireAlone = (): void => {
      if (fstatSync(file).size === bytes) return;
      throw new SignLogBroken(
        "Another process wrote to the sign log. Stop it, then restart the signer.",
      );
    };
    requireAlone();
    isBroken = true;
    const line = JSON.stringify({ ...signature, previous: digest });
    const data = Buffer.from(`${line}\n`);
    for (let written = 0; written < data.length; ) {
      written += writeSync(file, data, written);
    }
    fsyncSync(file);
    digest = digestOf(line);
    bytes += data.length;
    // Of two signers that found themselves alone and wrote, the later one finds both lines.
    requireAlone();
    isBroken = false;
  };
  return { digest: () => digest, append };
}

/** The log cannot be continued. Nothing more is signed by this process. */
export class SignLogBroken extends Error {}
