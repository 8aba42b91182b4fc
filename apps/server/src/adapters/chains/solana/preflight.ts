import type { ChainPayment, Preflight } from "../../../domain/ports/chain-gateway.ts";
import type { UnderWay } from "../../../domain/ports/chain-sender.ts";
import { SYSTEM_PROGRAM } from "../../../domain/wallets/solana.ts";
import type { Quorum } from "../agree.ts";
import { type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { objectOf, wholeOf } from "./endpoints.ts";
import { paymentOfSend } from "./transaction.ts";

export interface PreflightOptions {
  readonly quorum: Quorum;
  readonly address: string;
  /** The most that a transaction may cost, in lamports. */
  readonly feeMax: bigint;
  readonly pollMs: number;
  readonly underWay: UnderWay | undefined;
}

/** A wallet that is too empty is looked at again after so many polls. */
const SHORT_PAUSE_FACTOR = 5;

/** Asks whether the transfer would succeed now, so that no transaction is spent on one that would not. */
export async function preflightOf(
  { quorum, address, feeMax, pollMs, underWay }: PreflightOptions,
  payment: ChainPayment,
): Promise<Preflight> {
  const { to, units } = paymentOfSend({ outputs: [payment] });
  const rejected = (why: string): Preflight => ({ state: "rejected", why });
  const wait = (why: string): Preflight => ({
    state: "wait",
    why: `the hot wallet ${address} ${why}`,
    askAgainMs: pollMs * SHORT_PAUSE_FACTOR,
  });
  const least = await readLeast(quorum);
  const recipient = await readAccount(quorum, to);
  if (recipient.isProgram || recipient.owner !== SYSTEM_PROGRAM) {
    return rejected(`${to} is an account of a program, and not a wallet`);
  }
  if (recipient.lamports + units < least) {
    return rejected(
      `${to} would have ${recipient.lamports + units} lamports, and an account needs ${least} at least`,
    );
  }
  const { lamports } = await readLowest(quorum, address, underWay?.readTo);
  const { units: sent = 0n, sends = 0 } = underWay ?? {};
  const taken = sent + BigInt(sends) * feeMax;
  const also = wordsOfTaken(taken, sends);
  const left = lamports - taken - units - feeMax;
  if (left < 0n) {
    return wait(
      `has ${lamports} lamports, and ${units} and a fee of up to ${feeMax} are needed${also}`,
    );
  }
  return left < least
    ? wait(`keeps ${least} lamports, without which the network refuses its transactions${also}`)
    : { state: "clear" };
}

const wordsOfTaken = (taken: bigint, sends: number): string => {
  if (sends === 0) return "";
  const subject =
    sends === 1 ? "1 transaction under way takes" : `${sends} transactions under way take`;
  return `. ${subject} up to ${taken} of the wallet's lamports`;
};

/** Returns the lamports without which an account without data cannot be. */
export function readLeast(quorum: Quorum): Promise<bigint> {
  const ask = async (rpc: Rpc): Promise<bigint> => {
    const [answer] = await rpc.ask([["getMinimumBalanceForRentExemption", 0]]);
    return wholeOf(rpc, answer, "rent");
  };
  return quorum.agree({ what: "the rent of an account", ask, keyOf: String });
}

interface Account {
  readonly lamports: bigint;
  /** The program that owns the account. An unused address has the System Program. */
  readonly owner: string;
  readonly isProgram: boolean;
}

/** Returns what enough endpoints have at an address. */
export const readAccount = (quorum: Quorum, address: string): Promise<Account> =>
  quorum.agree({
    what: `the account ${address}`,
    ask: (rpc) => accountAt(rpc, address),
    keyOf: (account) => Object.values(account).join(" "),
  });

/**
 * The lowest answer counts: a node that is ahead may see coins of a block that is dropped. One that has not reached the
 * slot says nothing.
 */
export async function readLowest(
  quorum: Quorum,
  address: string,
  reached?: bigint,
): Promise<Account> {
  const ask = (rpc: Rpc): Promise<Account> => accountAt(rpc, address, reached);
  const answers = await quorum.collect({ what: `the account ${address}`, ask });
  return answers
    .map(({ value }) => value)
    .reduce((low, one) => (one.lamports < low.lamports ? one : low));
}

interface NodeAnswer {
  readonly context?: { readonly slot?: unknown };
  readonly value?: unknown;
}

async function accountAt(rpc: Rpc, address: string, reached = 0n): Promise<Account> {
  const slice = { offset: 0, length: 0 };
  const words = { commitment: "confirmed", encoding: "base64", dataSlice: slice };
  const call: RpcCall = ["getAccountInfo", address, words];
  const [answer] = await rpc.ask([call]);
  const { context, value = null } = objectOf<NodeAnswer>(rpc, answer, address) ?? {};
  const slot = wholeOf(rpc, context?.slot, "slot");
  if (slot < reached) {
    // Being a moment behind is not a fault.
    throw new RpcRefusal(`${rpc.name}: its balances are of slot ${slot}, below ${reached}`);
  }
  const account = objectOf<Record<string, unknown>>(rpc, value, address);
  if (account === null) return { lamports: 0n, owner: SYSTEM_PROGRAM, isProgram: false };
  const { lamports, owner, executable } = account;
  return {
    lamports: wholeOf(rpc, lamports, "balance"),
    owner: String(owner),
    isProgram: executable === true,
  };
}
