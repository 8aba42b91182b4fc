import { type KeyObject, verify } from "node:crypto";
import {
  parseReleaseText,
  paymentDigest,
  type Release,
  ReleaseTextError,
  writeApprovalText,
  writePaymentApprovalText,
} from "../domain/payouts/release-text.ts";
import type { Asset, Policy } from "./policy.ts";
import type { SignedRelease } from "./protocol.ts";
import { SignRefusal } from "./signer-error.ts";
import type { EvmAccount } from "./wallets.ts";

const CLOCK_TOLERANCE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A payment whose release signature is right. Its age, destination and amount are checked later. */
export interface ReleasedPayment {
  readonly release: Release;
  readonly digest: string;
  readonly asset: Asset;
  readonly cents: bigint;
  /** The approvers whose signature of exactly this release is right, each once. */
  readonly approvedBy: readonly string[];
  /** The approvers of the payment: of this release, or of the same payment at any place. */
  readonly paymentApprovedBy: readonly string[];
}

/** Checks the release's text, signature and installation, and that the policy lists its asset and wallet. */
export function readRelease(signed: SignedRelease, policy: Policy): ReleasedPayment {
  const release = parse(signed.text);
  if (!policy.releaseKeys.some((key) => isSignedBy(key, signed.text, signed.signature))) {
    throw new SignRefusal(
      "release_signature",
      "The release is not signed by a release key of the policy.",
    );
  }
  if (release.installation !== policy.installation) {
    throw new SignRefusal(
      "release_installation",
      `The release is of installation "${release.installation}", not of "${policy.installation}".`,
    );
  }
  const asset = listedAsset(policy, release.asset, release.network);
  const wallet = Object.hasOwn(policy.wallets, release.wallet) && policy.wallets[release.wallet];
  if (!wallet) throw new SignRefusal("unlisted", `The policy has no wallet "${release.wallet}".`);
  if (wallet.network !== release.network) {
    throw new SignRefusal(
      "network",
      `${release.wallet} is a wallet of ${wallet.network}, not of ${release.network}.`,
    );
  }
  if (wallet.keystore !== "hot") {
    throw new SignRefusal(
      "unlisted",
      `${release.wallet} takes deposits; payments come from hot wallets.`,
    );
  }
  const takesMemos = policy.networks[release.network]?.kind === "xrp";
  if (release.memo !== null && !takesMemos) {
    throw new SignRefusal(
      "memo",
      `Payments on ${release.network} carry no memo, but the release has one.`,
    );
  }
  return {
    release,
    digest: paymentDigest(release),
    asset,
    cents: centsOf(asset, release.units),
    ...approversOf(signed, release, policy),
  };
}

/** Returns the policy's asset. Throws a refusal if the policy has none of that name on the network. */
export function listedAsset(policy: Policy, name: string, network: string): Asset {
  const asset = Object.hasOwn(policy.assets, name) ? policy.assets[name] : undefined;
  if (!asset) throw new SignRefusal("unlisted", `The policy has no asset "${name}".`);
  if (asset.network === network) return asset;
  throw new SignRefusal("network", `${name} is an asset of ${asset.network}, not of ${network}.`);
}

/** Rounded up, so that many small payments do not count as nothing. */
const centsOf = ({ centsPerCoin, decimals }: Asset, units: bigint): bigint => {
  const coin = 10n ** BigInt(decimals);
  return (units * BigInt(centsPerCoin) + coin - 1n) / coin;
};

function parse(text: string): Release {
  try {
    return parseReleaseText(text);
  } catch (error) {
    if (error instanceof ReleaseTextError) throw new SignRefusal("release_text", error.message);
    throw error;
  }
}

const isSignedBy = (key: KeyObject, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));

/** An approval of the payment lifts a limit. To pay at a second place, exactly that release must be approved. */
function approversOf(
  { text, approvals }: SignedRelease,
  release: Release,
  { approvers }: Policy,
): Pick<ReleasedPayment, "approvedBy" | "paymentApprovedBy"> {
  const signersOf = (approvalText: string): string[] =>
    approvals
      .filter(({ name, signature }) => {
        const key = approvers.get(name);
        return key !== undefined && isSignedBy(key, approvalText, signature);
      })
      .map(({ name }) => name);
  const exact = signersOf(writeApprovalText(text));
  const ofPayment = signersOf(writePaymentApprovalText(release));
  return {
    approvedBy: release.place.kind === "any" ? [] : [...new Set(exact)],
    paymentApprovedBy: [...new Set([...exact, ...ofPayment])],
  };
}

export const isApproved = ({ approvedBy }: ReleasedPayment, { approvalsNeeded }: Policy): boolean =>
  approvedBy.length >= approvalsNeeded;

/** Throws unless the release is recent. An old release may have been withdrawn since. */
export function requireFresh({ release }: ReleasedPayment, policy: Policy, now: number): void {
  const age = now - release.releasedAt.getTime();
  if (age < -CLOCK_TOLERANCE_MS) {
    throw new SignRefusal(
      "release_age",
      "The release is of the future. Compare the clocks of both processes.",
    );
  }
  if (age > policy.releaseHoursMax * HOUR_MS) {
    throw new SignRefusal(
      "release_age",
      `The release is older than ${policy.releaseHoursMax} hours. Release it again.`,
    );
  }
}

/** Throws for a wallet that makes no payments. */
export function requirePayingWallet({ name, isGasTank }: EvmAccount): void {
  if (!isGasTank) return;
  throw new SignRefusal("purpose", `${name} is a gas tank, and makes no payments.`);
}

/** Throws if the policy forbids the destination, or coins sent there would be lost. */
export function requireDestination(
  address: string,
  policy: Policy,
  ownAddresses: readonly string[],
): void {
  const to = address.toLowerCase();
  const isOneOf = (addresses: readonly (string | undefined)[]): boolean =>
    addresses.some((other) => other?.toLowerCase() === to);
  if (isOneOf(Object.values(policy.assets).map(({ contract }) => contract))) {
    throw new SignRefusal(
      "destination",
      "The destination is a token's contract. Coins sent there are lost.",
    );
  }
  if (isOneOf(ownAddresses)) {
    throw new SignRefusal("destination", "The destination is a wallet of this installation.");
  }
  if (isOneOf(policy.denied)) {
    throw new SignRefusal("destination", "The policy denies this destination.");
  }
}
