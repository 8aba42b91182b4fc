import { check } from "./check-payment.ts";
import { consolidateCoins } from "./consolidate-coins.ts";
import { printPublicKey } from "./policy.ts";
import {
  type AddressesRequest,
  idOfRequest,
  parseRequest,
  type SignerAnswer,
  type SignerRequest,
  type StatusAnswer,
} from "./protocol.ts";
import { raiseCoins } from "./raise-coins.ts";
import { payCoins } from "./sign-coins.ts";
import { cancel, pay, sweep } from "./sign-evm.ts";
import { SignLogBroken } from "./sign-log.ts";
import { paySolana } from "./sign-solana.ts";
import { payTron } from "./sign-tron.ts";
import { cancelXrp, payXrp } from "./sign-xrp.ts";
import { SignerError, SignRefusal } from "./signer-error.ts";
import type { SignerParts } from "./signing.ts";
import { sweepSolana } from "./sweep-solana.ts";
import { sweepTron } from "./sweep-tron.ts";

export interface Service {
  /** Answers one request. Never throws. */
  answer(text: string): SignerAnswer;
}

/** `report` writes to the signer's own output. `onBroken` ends the process: the log cannot be continued. */
export function makeService(
  parts: SignerParts,
  { report, onBroken }: { report: (line: string) => void; onBroken: () => void },
): Service {
  const answer = (text: string): SignerAnswer => {
    const id = idOfRequest(text);
    try {
      return { id, ok: run(parts, parseRequest(text)) };
    } catch (error) {
      if (error instanceof SignRefusal) {
        const { reason, message } = error;
        report(`refused (${reason}): ${message}`);
        return { id, error: { code: "REFUSED", reason, message } };
      }
      if (error instanceof SignerError) {
        return { id, error: { code: "BAD_REQUEST", message: error.message } };
      }
      report(`fault: ${error instanceof Error ? error.stack : String(error)}`);
      if (error instanceof SignLogBroken) {
        onBroken();
        return { id, error: { code: "REFUSED", reason: "log", message: error.message } };
      }
      const message = "The signer failed. Its own output has the reason.";
      return { id, error: { code: "FAULT", message } };
    }
  };
  return { answer };
}

function run(parts: SignerParts, request: SignerRequest) {
  switch (request.op) {
    case "pay":
      return pay(parts, request);
    case "pay_coins":
      return payCoins(parts, request);
    case "pay_tron":
      return payTron(parts, request);
    case "pay_solana":
      return paySolana(parts, request);
    case "pay_xrp":
      return payXrp(parts, request);
    case "cancel_xrp":
      return cancelXrp(parts, request);
    case "raise_coins":
      return raiseCoins(parts, request);
    case "consolidate_coins":
      return consolidateCoins(parts, request);
    case "sweep":
      return sweep(parts, request);
    case "sweep_tron":
      return sweepTron(parts, request);
    case "sweep_solana":
      return sweepSolana(parts, request);
    case "cancel":
      return cancel(parts, request);
    case "check":
      return check(parts, request);
    case "status":
      return statusOf(parts);
    case "addresses":
      return { addresses: addressesOf(parts, request) };
  }
}

const addressesOf = ({ wallets }: SignerParts, { wallet, from, count }: AddressesRequest) =>
  wallets.addresses(wallet, from, count);

/** The worker compares it with the database and the chains before it pays, and after each restore. */
function statusOf({ policy, wallets, history, log }: SignerParts): StatusAnswer {
  return {
    installation: policy.installation,
    releaseKeys: policy.releaseKeys.map(printPublicKey),
    fingerprints: wallets.fingerprints,
    logEntries: history.count(),
    logHead: log.digest(),
    wallets: Object.fromEntries(
      Object.entries(policy.wallets).map(([name, wallet]) => [
        name,
        { ...wallet, purpose: wallet.purpose ?? null, ...wallets.publicPart(name) },
      ]),
    ),
    accounts: history.accounts(),
  };
}
