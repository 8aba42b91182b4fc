import {
  buildEvm,
  type EvmTransfer,
  requireEvmAddress,
  requireGasWithinCaps,
} from "./evm-transaction.ts";
import { requireWithinLimits } from "./limits.ts";
import { requireOnePayment, requireOwnPlace, requireRaisedPrices } from "./place-rules.ts";
import type { Asset } from "./policy.ts";
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
  if (account.isGasTank) requireTopUp(request, asset, wallets);
  const to = request.to === "cold" ? account.network.cold : wallets.evm(request.to).address;
  if (to === undefined) {
    throw new SignRefusal(
      "destination",
      `The policy has no cold address on ${account.networkCode}.`,
    );
  }
  if (request.to !== "cold" && wallets.evm(request.to).networkCode !== account.networkCode) {
    throw new SignRefusal(
      "network",
      `${request.from} and ${request.to} are on different networks.`,
    );
  }
  requireEvmAddress(to);
  if (to.toLowerCase() === account.address.toLowerCase()) {
    throw new SignRefusal("destination", "A sweep moves coins to another account.");
  }
  const transfer = {
    nonce: BigInt(request.nonce),
    to,
    contract: asset.contract ?? null,
    units: BigInt(request.units),
  };
  // The fee of a native sweep is taken from what it moves, so a replacement moves less, never more.
  const isSame = ({ sweep: earlier }: LoggedSignature) =>
    earlier !== null &&
    earlier.to === to &&
    earlier.asset === request.asset &&
    transfer.units <= BigInt(earlier.units);
  const moved = { to, asset: request.asset, units: request.units };
  return signOwn(parts, {
    kind: "sweep",
    account,
    transfer,
    gas: request.gas,
    sweep: moved,
    isSame,
  });
}

/** A gas tank brings the network's own coin to deposit addresses, which are derived here. It does nothing else. */
function requireTopUp({ from, to }: SweepRequest, asset: Asset, wallets: SignerParts["wallets"]) {
  if (asset.contract === undefined && to !== "cold" && wallets.evm(to).isDeposit) return;
  throw new SignRefusal(
    "purpose",
    `${from} is a gas tank. It sends the network's own coin to deposit addresses, and nothing else.`,
  );
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
  },
): SignedAnswer {
  const { account, transfer, gas } = move;
  const unsigned = buildEvm(account, transfer, gas);
  return answerOwn(parts, { kind: move.kind, account, digest: unsigned.digest }, () => {
    requireGasWithinCaps(gas, unsigned.fee, account.network);
    const place = placeOf(account, transfer.nonce);
    const versions = requireOwnPlace(place, move.isSame, parts.history);
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
