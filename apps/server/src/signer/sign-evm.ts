import {
  buildEvm,
  type EvmTransfer,
  requireEvmAddress,
  requireGasWithinCaps,
} from "./evm-transaction.ts";
import { requireWithinLimits } from "./limits.ts";
import { requireOnePayment, requireOwnPlace, requireRaisedPrices } from "./place-rules.ts";
import type {
  CancelRequest,
  GasTerms,
  PayRequest,
  SignedAnswer,
  SweepRequest,
} from "./protocol.ts";
import { listedAsset, readRelease, requirePayingWallet } from "./release-rules.ts";
import type { LoggedSignature } from "./sign-log.ts";
import { SignRefusal } from "./signer-error.ts";
import {
  answerOwn,
  answerPayment,
  loggedPayment,
  requirePayee,
  type SignerParts,
} from "./signing.ts";
import { requireTopUp } from "./top-up-rule.ts";
import type { EvmAccount } from "./wallets.ts";

/** Signs a released payment on an EVM network. The same request always has the same answer. */
export function pay(parts: SignerParts, { release: signed, gas }: PayRequest): SignedAnswer {
  const { policy, wallets, history, now } = parts;
  const payment = readRelease(signed, policy);
  const { release, asset } = payment;
  if (release.place.kind !== "nonce") {
    throw new SignRefusal("place", `A payment on ${release.network} has a nonce as its place.`);
  }
  const account = wallets.evm(release.wallet);
  requirePayingWallet(account);
  requireEvmAddress(release.address);
  requirePayee(payment, parts);
  const { nonce } = release.place;
  const contract = asset.contract ?? null;
  const transfer = { nonce, to: release.address, contract, units: release.units };
  const unsigned = buildEvm(account, transfer, gas);
  return answerPayment(parts, { digest: unsigned.digest, payments: [payment] }, (question) => {
    requireGasWithinCaps(gas, unsigned.fee, account.network);
    const place = placeOf(account, nonce);
    const isSame = (version: LoggedSignature) =>
      version.payments.some(({ intent }) => intent === release.intent);
    const versions = requireOwnPlace(place, isSame, history);
    requireRaisedPrices(unsigned.prices, versions, policy);
    const isFirst = requireOnePayment(payment, { places: [place], hash: question }, parts);
    if (isFirst) requireWithinLimits([payment], { policy, history, now: now() });
    return {
      network: release.network,
      account: account.name,
      places: [place],
      payments: [loggedPayment(payment, { isFirst })],
      approvedBy: payment.paymentApprovedBy,
      prices: unsigned.prices,
      fee: unsigned.fee,
      sign: unsigned.sign,
      versions,
    };
  });
}

/** Moves coins between wallets of the policy, or to its cold address. No release is needed: they stay ours. */
export function sweep(parts: SignerParts, request: SweepRequest): SignedAnswer {
  const { policy, wallets } = parts;
  const account = wallets.evm(request.from);
  const asset = listedAsset(policy, request.asset, account.networkCode);
  const moved = { contract: asset.contract ?? null, units: BigInt(request.units) };
  const destination = destinationOf(account, request.to, wallets);
  const { address: to } = destination;
  const transfer = { nonce: BigInt(request.nonce), to, ...moved };
  // The fee of a native sweep is taken from what it moves, so a replacement moves less, never more.
  const isSame = ({ sweep: earlier }: LoggedSignature) =>
    earlier !== null &&
    earlier.to === to &&
    earlier.asset === request.asset &&
    transfer.units <= BigInt(earlier.units);
  const { gas, asset: name, units } = request;
  const sweep = { to, asset: name, units };
  const requireFirst = () => requireReach({ from: account, to: destination }, moved);
  return signOwn(parts, { kind: "sweep", account, transfer, gas, sweep, isSame, requireFirst });
}

type Destination = Pick<EvmAccount, "name" | "networkCode" | "address" | "isDeposit" | "isGasTank">;

/** Returns a sweep's destination. Throws for another network and for the account itself. */
function destinationOf(
  from: EvmAccount,
  name: string,
  wallets: SignerParts["wallets"],
): Destination {
  const to = name === "cold" ? coldOf(from) : wallets.evm(name);
  if (to.networkCode !== from.networkCode) {
    throw new SignRefusal("network", `${from.name} and ${name} are on different networks.`);
  }
  requireEvmAddress(to.address);
  if (to.address.toLowerCase() === from.address.toLowerCase()) {
    throw new SignRefusal("destination", "A sweep moves coins to another account.");
  }
  return to;
}

/**
 * Throws for coins that would go where no payout reaches them. A deposit address is only topped up. A gas tank does
 * nothing else, and is filled from outside.
 */
function requireReach(
  { from, to }: { readonly from: EvmAccount; readonly to: Destination },
  moved: Pick<EvmTransfer, "contract" | "units">,
): void {
  if (from.isGasTank || to.isDeposit) return requireTopUp({ from, to }, moved);
  if (!to.isGasTank) return;
  throw new SignRefusal(
    "purpose",
    `${to.name} is a gas tank, and nothing but top-ups leaves it. Sweep to a hot wallet, and fill the tank from outside.`,
  );
}

/** Returns the cold address as the destination of a sweep. */
function coldOf({ network, networkCode }: EvmAccount): Destination {
  const { cold: address } = network;
  if (address !== undefined) {
    return { name: "cold", networkCode, address, isDeposit: false, isGasTank: false };
  }
  throw new SignRefusal("destination", `The policy has no cold address on ${networkCode}.`);
}

/** Fills a hole in an account's nonces with a transfer of nothing to itself. No payment is signed there later. */
export function cancel(parts: SignerParts, request: CancelRequest): SignedAnswer {
  const account = parts.wallets.evm(request.from);
  const transfer = { nonce: BigInt(request.nonce), to: account.address, contract: null, units: 0n };
  const isSame = ({ kind }: LoggedSignature) => kind === "cancel";
  return signOwn(parts, {
    kind: "cancel",
    account,
    transfer,
    gas: request.gas,
    sweep: null,
    isSame,
  });
}

/** Signs a transaction that pays nobody but ourselves. */
function signOwn(
  parts: SignerParts,
  move: {
    readonly kind: "sweep" | "cancel";
    readonly account: EvmAccount;
    readonly transfer: EvmTransfer;
    readonly gas: GasTerms;
    readonly sweep: LoggedSignature["sweep"];
    readonly isSame: (signature: LoggedSignature) => boolean;
    /** Throws unless the policy allows the first version. Another one moves no more, whatever the policy has now. */
    readonly requireFirst?: () => void;
  },
): SignedAnswer {
  const { account, transfer, gas } = move;
  const unsigned = buildEvm(account, transfer, gas);
  return answerOwn(parts, { kind: move.kind, account, digest: unsigned.digest }, () => {
    requireGasWithinCaps(gas, unsigned.fee, account.network);
    const place = placeOf(account, transfer.nonce);
    const versions = requireOwnPlace(place, move.isSame, parts.history);
    if (versions.length === 0) move.requireFirst?.();
    requireRaisedPrices(unsigned.prices, versions, parts.policy);
    return {
      places: [place],
      sweep: move.sweep,
      prices: unsigned.prices,
      fee: unsigned.fee,
      sign: unsigned.sign,
      versions,
    };
  });
}

const placeOf = (account: EvmAccount, nonce: bigint): string => `${account.place}#${nonce}`;
