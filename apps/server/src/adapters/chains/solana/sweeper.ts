import type {
  ChainSweeper,
  FinalHolding,
  SweepAccount,
} from "../../../domain/ports/chain-sweeper.ts";
import { sweepFeeAt } from "../../../domain/wallets/solana-sweep.ts";
import type { Quorum } from "../agree.ts";
import { signedBy, wordsOfMove } from "../ask-to-sign.ts";
import { broadcastToAll } from "../broadcast.ts";
import { readAccount, readLeast, readLowest } from "./accounts.ts";
import { sendTo } from "./broadcast.ts";
import { openSolanaQuorum } from "./endpoints.ts";
import { followSend } from "./follow.ts";
import type { SolanaSenderOptions } from "./sender.ts";
import { readCost, readTerms, signerTermsOf } from "./terms.ts";
import { requireSweep } from "./transaction.ts";

export interface SolanaSweeperOptions extends Omit<SolanaSenderOptions, "wallet" | "gasFloor"> {
  readonly hot: SweepAccount;
  /** The name of the deposit addresses in the signer's policy. */
  readonly depositsWallet: string | undefined;
  /** The account that the deposit addresses derive from. */
  readonly depositsAccount: string;
}

/**
 * Sweeps the deposit addresses of Solana. The hot wallet pays the fee of a sweep, and the sweep empties the address.
 * The network lets no account keep less than the rent (docs/decisions/0126-sweep-solana-from-the-hot-wallet.md).
 */
export function makeSolanaSweeper(options: SolanaSweeperOptions): ChainSweeper {
  const { endpoints, hot, depositsWallet, depositsAccount, feeMax } = options;
  const quorum = openSolanaQuorum(endpoints);
  return {
    networkCode: endpoints.networkCode,
    hot,
    funder: hot,
    depositAccount: (keyIndex) => depositsWallet && `${depositsWallet}/${keyIndex}`,
    market: async () => {
      const cost = await readCost(quorum, { ...options, feeAt: sweepFeeAt });
      const costs = { offered: cost, least: cost, topUp: 0n, isPaidByHot: true } as const;
      return { costsOf: () => costs };
    },
    termsOf: () => null,
    deadlineTerms: ({ send }) => readTerms(quorum, { ...options, feeAt: sweepFeeAt }, send),
    holdingOf: (address) => readHolding(quorum, { address, hot: hot.address, feeMax }),
    sign: async (move, terms) => {
      const signed = await signedBy(options, {
        op: "sweep_solana",
        ...wordsOfMove(move),
        terms: signerTermsOf(terms),
      });
      const { send, from } = move;
      const { reference = "" } = terms;
      const source = { base: depositsAccount, reference };
      requireSweep(signed, { send, from: from.address }, source);
      return signed;
    },
    broadcast: (transaction) => broadcastToAll(quorum, transaction, sendTo),
    follow: ({ send }, signed, facts) =>
      followSend({ quorum, ...options }, send, { signed, ...facts }),
    close: () => quorum.close(),
  };
}

/** Throws where the hot wallet could not pay the fee: no block would take the sweep. */
async function readHolding(
  quorum: Quorum,
  {
    address,
    hot,
    feeMax,
  }: { readonly address: string; readonly hot: string; readonly feeMax: bigint },
): Promise<FinalHolding> {
  const least = await readLeast(quorum);
  const { lamports: funds } = await readLowest(quorum, hot);
  if (funds < least + feeMax) {
    throw new Error(
      `the hot wallet ${hot} has ${funds} lamports, and needs ${least} and a fee of up to ${feeMax}`,
    );
  }
  const { lamports } = await readAccount(quorum, address);
  return { units: lamports, coins: lamports, usedPlaces: null };
}
