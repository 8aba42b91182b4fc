import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { PayoutPurpose } from "./payout-intent.ts";

/**
 * The place of a payment: a nonce of its wallet, the digest of the coins that pay it (`placeOfCoins`), or a deadline. A
 * payment at any place is approved or checked, and never signed.
 */
export type ReleasePlace =
  | { readonly kind: "any" }
  | { readonly kind: "nonce"; readonly nonce: bigint }
  | { readonly kind: "coins"; readonly digest: string }
  | ({ readonly kind: "until" } & Deadline);

/** The time until which blocks may take a transaction. It excludes no other transaction. */
export interface Deadline {
  /** In milliseconds. */
  readonly expiration: number;
  /** The block that the transaction builds on: 20 hexadecimal digits on Tron, a block's hash in base58 on Solana. */
  readonly reference: string;
  /** The payment's transaction before it, which was proved dead. Null for the first one. */
  readonly after: string | null;
}

/** The signer refuses a request with more approvals of one payment, or with a longer name of an approver. */
export const APPROVALS_MAX = 10;
export const APPROVER_NAME_CHARACTERS_MAX = 64;

/** One payment that the worker released for signing. */
export interface Release {
  readonly installation: string;
  readonly intent: string;
  readonly order: string;
  readonly purpose: PayoutPurpose;
  readonly network: string;
  readonly wallet: string;
  readonly asset: string;
  readonly address: string;
  readonly memo: string | null;
  readonly units: bigint;
  readonly place: ReleasePlace;
  readonly releasedAt: Date;
}

/** The text is not a release in its one canonical form. */
export class ReleaseTextError extends Error {}

const HEAD = "exchange-release/1";
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The fields in the order of their lines, each with the one form that its value may have. */
const FORMS = {
  installation: NAME,
  intent: UUID,
  order: /^[1-9][0-9]{0,18}$/,
  purpose: /^(payout|refund|excess_refund)$/,
  network: NAME,
  wallet: NAME,
  asset: NAME,
  to: /^[\x21-\x7e]{1,128}$/,
  // A memo follows "=", so that a memo "-" differs from none.
  memo: /^(-|=[\x20-\x7e]{1,256})$/,
  units: /^[1-9][0-9]{0,77}$/,
  place:
    /^(any|nonce (0|[1-9][0-9]{0,18})|coins [0-9a-f]{64}|until [1-9][0-9]{11,14} ([0-9a-f]{20}|[1-9A-HJ-NP-Za-km-z]{32,44}) (-|[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88}))$/,
  released: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
} as const satisfies Record<string, RegExp>;

type Field = keyof typeof FORMS;
const FIELDS = Object.keys(FORMS) as Field[];

/**
 * Returns the text of a release: one line for each field, always in the same order. There is one way to
 * write a release, so that one signature covers one payment (docs/decisions/0057-let-a-separate-process-sign.md).
 */
export function writeReleaseText(release: Release): string {
  const values = valuesOf(release);
  for (const field of FIELDS) requireForm(field, values[field]);
  return `${[HEAD, ...FIELDS.map((field) => `${field} ${values[field]}`)].join("\n")}\n`;
}

/** Parses a release. Throws a `ReleaseTextError` for any text that `writeReleaseText` would not write. */
export function parseReleaseText(text: string): Release {
  const [head, ...lines] = text.split("\n");
  if (head !== HEAD) throw new ReleaseTextError(`The first line of a release is "${HEAD}".`);
  const values = {} as Record<Field, string>;
  for (const [index, field] of FIELDS.entries()) {
    const line = lines[index] ?? "";
    if (!line.startsWith(`${field} `)) {
      throw new ReleaseTextError(`Line ${index + 2} of a release begins with "${field} ".`);
    }
    values[field] = requireForm(field, line.slice(field.length + 1));
  }
  if (lines.length !== FIELDS.length + 1 || lines.at(-1) !== "") {
    throw new ReleaseTextError("A release ends with one line end after its last field.");
  }
  return releaseOf(values);
}

/**
 * Returns the text that an operator signs to approve a release. The approval of a payment at any place holds at each
 * place for the same payment.
 */
export const writeApprovalText = (releaseText: string): string =>
  releaseText.includes("\nplace any\n")
    ? writePaymentApprovalText(parseReleaseText(releaseText))
    : `exchange-approval/1\nrelease ${hexDigest(releaseText)}\n`;

/** Returns the text that approves the payment of a release, whatever its place. */
export const writePaymentApprovalText = (release: Release): string =>
  `exchange-approval/1\npayment ${paymentDigest(release)}\n`;

/** Returns the same digest for the same coins in any order. A coin is "<transaction id>:<output number>". */
export const placeOfCoins = (
  coins: readonly string[],
): ReleasePlace & { readonly kind: "coins" } => ({
  kind: "coins",
  digest: hexDigest([...coins].sort().join("\n")),
});

/** Returns whether both texts release the same payment at the same place. Their times may differ. */
export function isSameRelease(one: string, other: string): boolean {
  try {
    const [first, second] = [parseReleaseText(one), parseReleaseText(other)];
    const isOfOnePlace = writePlace(first.place) === writePlace(second.place);
    return isOfOnePlace && paymentDigest(first) === paymentDigest(second);
  } catch (error) {
    if (error instanceof ReleaseTextError) return false;
    throw error;
  }
}

/** Returns the digest of the payment alone. The same payment may be released again at another place. */
export function paymentDigest(release: Release): string {
  const values = valuesOf(release);
  const lines = FIELDS.filter((field) => field !== "place" && field !== "released").map(
    (field) => `${field} ${values[field]}`,
  );
  return hexDigest(lines.join("\n"));
}

const hexDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

const valuesOf = (release: Release): Record<Field, string> => ({
  installation: release.installation,
  intent: release.intent,
  order: release.order,
  purpose: release.purpose,
  network: release.network,
  wallet: release.wallet,
  asset: release.asset,
  to: release.address,
  memo: release.memo === null ? "-" : `=${release.memo}`,
  units: String(release.units),
  place: writePlace(release.place),
  released: release.releasedAt.toISOString(),
});

function writePlace(place: ReleasePlace): string {
  switch (place.kind) {
    case "any":
      return "any";
    case "nonce":
      return `nonce ${place.nonce}`;
    case "coins":
      return `coins ${place.digest}`;
    case "until":
      return `until ${place.expiration} ${place.reference} ${place.after ?? "-"}`;
  }
}

function parsePlace(text: string): ReleasePlace {
  const [kind, value = "", reference = "", after = ""] = text.split(" ");
  if (kind === "any") return { kind };
  if (kind === "until") {
    return { kind, expiration: Number(value), reference, after: after === "-" ? null : after };
  }
  return kind === "nonce" ? { kind, nonce: BigInt(value) } : { kind: "coins", digest: value };
}

function releaseOf(values: Readonly<Record<Field, string>>): Release {
  const releasedAt = new Date(values.released);
  // "2026-02-31" has the form of a date, but is read as another one or as none.
  if (Number.isNaN(releasedAt.getTime()) || releasedAt.toISOString() !== values.released) {
    throw new ReleaseTextError(`The "released" line of a release is not a date that exists.`);
  }
  return {
    installation: values.installation,
    intent: values.intent,
    order: values.order,
    purpose: values.purpose as PayoutPurpose,
    network: values.network,
    wallet: values.wallet,
    asset: values.asset,
    address: values.to,
    memo: values.memo === "-" ? null : values.memo.slice(1),
    units: BigInt(values.units),
    place: parsePlace(values.place),
    releasedAt,
  };
}

function requireForm(field: Field, value: string): string {
  if (FORMS[field].test(value)) return value;
  throw new ReleaseTextError(`The "${field}" line of a release must match ${FORMS[field].source}.`);
}
