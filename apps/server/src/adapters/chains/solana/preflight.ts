import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { UnderWay } from "../../../domain/ports/chain-sender.ts";
import { isOnCurve, SYSTEM_PROGRAM, tokenAccountOf } from "../../../domain/wallets/solana.ts";
import {
  type SolanaToken,
  TOKEN_ACCOUNT_BYTES,
} from "../../../domain/wallets/solana-token-message.ts";
import type { Quorum } from "../agree.ts";
import { sendsTake, walletWaits } from "../wallet-wait.ts";
import { readLeast, readLowest, readMiddle, readOwner } from "./accounts.ts";
import { readLowestTokens, readMintFault, readTokenAccount } from "./token-accounts.ts";
import { paymentOfSend, type TokenOf } from "./transaction.ts";

export interface PreflightOptions {
  readonly quorum: Quorum;
  readonly address: string;
  readonly tokenOf: TokenOf;
  /** The most that a transaction may cost, in lamports. */
  readonly feeMax: bigint;
  /** The lamports that payouts of SOL leave in the wallet for the fees and the rent of tokens. */
  readonly gasFloor: bigint;
  readonly pollMs: number;
  readonly underWay: UnderWay | undefined;
}

/** Asks whether the transfer would succeed now, so that no transaction is spent on one that would not. */
export async function preflightOf(
  options: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { quorum, address, tokenOf, pollMs } = options;
  const { to } = paymentOfSend({ outputs: [payment] });
  const recipient = await readOwner(quorum, to);
  if (recipient.isProgram || recipient.owner !== SYSTEM_PROGRAM) {
    return { state: "rejected", why: `${to} is an account of a program, and not a wallet` };
  }
  const token = tokenOf(payment.assetReference);
  const trial = { ...options, payment, least: await readLeast(quorum) };
  const answer = token === null ? await tryCoins(trial) : await tryToken({ ...trial, token });
  if (typeof answer !== "string") return answer;
  return walletWaits(`the hot wallet ${address} ${answer}`, pollMs);
}

interface Trial extends PreflightOptions {
  readonly payment: ChainPayment;
  /** The lamports without which the network refuses the wallet's transactions. */
  readonly least: bigint;
}

/** Returns what the wallet lacks, or the answer. */
async function tryCoins(trial: Trial): Promise<Preflight | string> {
  const { quorum, address, payment, feeMax, gasFloor, least, underWay } = trial;
  const { address: to, units } = payment;
  const held = units < least ? await readMiddle(quorum, to) : 0n;
  if (held + units < least) {
    const why = `${to} would have ${held + units} lamports, and an account needs ${least} at least`;
    return { state: "rejected", why };
  }
  const { lamports } = await readLowest(quorum, address, underWay?.readTo);
  const taken = await lamportsUnderWay(trial);
  const also = wordsOf(taken, underWay);
  const left = lamports - taken - units - feeMax;
  if (left < 0n) {
    return `has ${lamports} lamports, and ${units} and a fee of up to ${feeMax} are needed${also}`;
  }
  if (left < least) {
    return `keeps ${least} lamports, without which the network refuses its transactions${also}`;
  }
  return left < least + gasFloor
    ? `keeps ${gasFloor} lamports for the fees of tokens${also}`
    : { state: "clear" };
}

const wordsOf = (taken: bigint, { sends }: Pick<UnderWay, "sends"> = { sends: 0 }): string => {
  if (sends === 0) return "";
  return `. ${sendsTake(sends)} up to ${taken} of the wallet's lamports`;
};

/** Returns the lamports that the sends under way take at most. Each one of a token may open an account. */
async function lamportsUnderWay({ quorum, tokenOf, feeMax, underWay }: Trial): Promise<bigint> {
  const { payments = [], sends = 0 } = underWay ?? {};
  const coins = payments.filter(({ assetReference }) => tokenOf(assetReference) === null);
  const tokens = BigInt(payments.length - coins.length);
  const rent = tokens === 0n ? 0n : await readLeast(quorum, TOKEN_ACCOUNT_BYTES);
  return coins.reduce((sum, { units }) => sum + units, BigInt(sends) * feeMax + tokens * rent);
}

/** Returns what the wallet lacks, or the answer. */
async function tryToken(
  trial: Trial & { readonly token: SolanaToken },
): Promise<Preflight | string> {
  const { quorum, address, payment, feeMax, least, token, underWay } = trial;
  const { address: to, units, assetReference } = payment;
  const rejected = (why: string): Preflight => ({ state: "rejected", why });
  const { mint } = token;
  const fault = await readMintFault(quorum, token);
  if (fault !== null) return `cannot pay ${assetReference}: its mint ${mint} ${fault}`;
  if (!isOnCurve(to))
    return rejected(`${to} is not the address of a wallet: nobody has a key of it`);
  const account = await readTokenAccount(quorum, tokenAccountOf(to, mint));
  const isOpen = account.owner !== undefined;
  if (isOpen && account.owner !== to) {
    return rejected(`the token account of ${to} belongs to ${account.owner}`);
  }
  if (account.isFrozen) {
    return rejected(`the issuer of ${assetReference} has frozen the token account of ${to}`);
  }
  const own = await readLowestTokens(quorum, tokenAccountOf(address, mint), underWay?.readTo);
  const held = own?.owner === address ? own.units : 0n;
  const promised = (underWay?.payments ?? [])
    .filter((one) => one.assetReference === assetReference)
    .reduce((sum, one) => sum + one.units, 0n);
  if (held < units + promised) {
    const others = promised > 0n ? `, beside ${promised} of payouts under way` : "";
    return `has ${held} units of ${assetReference}, and ${units} are needed${others}`;
  }
  if (own?.isFrozen) return `is frozen by the issuer of ${assetReference}`;
  const full = await readLeast(quorum, TOKEN_ACCOUNT_BYTES);
  const rent = isOpen || account.lamports >= full ? 0n : full - account.lamports;
  const { lamports } = await readLowest(quorum, address, underWay?.readTo);
  const taken = await lamportsUnderWay(trial);
  const needed = feeMax + rent + least;
  if (lamports >= needed + taken) return { state: "clear" };
  const also = isOpen ? "" : ", a new token account";
  return `has ${lamports} lamports, and ${needed} are needed for a fee${also} and its own rent${wordsOf(taken, underWay)}`;
}
