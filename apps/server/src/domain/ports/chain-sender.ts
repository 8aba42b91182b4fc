import type { Deadline } from "../payouts/release-text.ts";
import type {
  ChainOutput,
  ChainPayment,
  ChainSend,
  Preflight,
  SendOutcome,
  SignedTransaction,
} from "./chain-gateway.ts";

/** A release that the worker signed, and the approvals that operators signed. */
export interface SignedRelease {
  readonly text: string;
  readonly signature: string;
  readonly approvals: readonly { readonly name: string; readonly signature: string }[];
}

/** Limits of the cost of a transaction, in the words of its network. They are stored before a signature is asked for. */
export type FeeTerms = Readonly<Record<string, string>>;

/** The fees of the network are above the operator's limit. Nothing is signed, and the question is asked again. */
export class FeeTooHigh extends Error {
  override readonly name = "FeeTooHigh";
}

/** The reason of `SigningRefused` when the signer signed something else than it was asked for. */
export const OTHER_BYTES = "other_bytes";

/** The signer does not sign this. The same request is refused again. */
export class SigningRefused extends Error {
  override readonly name = "SigningRefused";
  /** The rule of the signer, such as `limit` (docs/operating/signer.md). */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

const UNCERTAIN_REASONS = new Set<string>([
  ...["place_taken", "paid_elsewhere", "changed_payment", "log", "replacement"],
  ...["release_signature", "release_text", "release_installation", OTHER_BYTES],
]);

/** Returns whether the signer may have signed at the place all the same. Then the place must not be given up. */
export const mayHaveSigned = ({ reason }: SigningRefused): boolean => UNCERTAIN_REASONS.has(reason);

/** Returns whether the signer wants other fee terms. It logged nothing for those that it refused. */
export const refusesTerms = ({ reason }: SigningRefused): boolean =>
  reason === "fee" || reason === "replacement" || reason === "terms";

/** Returns whether the signer may accept the same with another deadline at once. A cap of the policy refuses every deadline. */
export const refusesDeadline = ({ reason }: SigningRefused): boolean => reason === "terms";

/** The nonces of a wallet on its network. */
export interface WalletPlaces {
  /** The next place after all final transactions. */
  readonly final: bigint;
  /** The next place after all transactions that an endpoint or the signer's log has. */
  readonly next: bigint;
}

/**
 * Sends from one hot wallet of one live network. It holds no key: the signer signs. It remembers nothing: the same
 * question has the same answer from the signer.
 */
export interface ChainSender {
  readonly networkCode: string;
  /** The wallet's name in the signer's policy, and its address. */
  readonly wallet: { readonly name: string; readonly address: string };
  /** Present where `preflight` takes the coins of the sends that are under way from the balance. */
  readonly countsUnderWay?: true;
  /** Asks the network whether the payment could be made beside the sends that are under way. */
  preflight(payment: ChainPayment, underWay?: UnderWay): Promise<Preflight>;
  /** Asks the signer whether it would sign the payment of a release at any place. Throws `SigningRefused`. */
  check(release: SignedRelease): Promise<void>;
  /** Returns terms at the present fees. With `stuck` they replace that transaction. Throws `FeeTooHigh`. */
  feeTerms(send: ChainSend, stuck?: SignedTransaction): Promise<FeeTerms>;
  /** Asks the signer. Each output of a payout needs its release, in their order. Throws `SigningRefused`. */
  sign(
    send: ChainSend,
    terms: FeeTerms,
    releases: readonly SignedRelease[],
  ): Promise<SignedTransaction>;
  broadcast(transaction: SignedTransaction): Promise<void>;
  /** `signed`: the transactions of the place, the newest last. */
  follow(send: ChainSend, signed: readonly SignedTransaction[]): Promise<SendOutcome>;
  places(): Promise<WalletPlaces>;
  close(): Promise<void>;
}

/** The service's own facts about a send with a deadline. */
export interface DeadlineFacts {
  /** The scanner's final block. A block above it is not final, whatever the network says. */
  readonly finalHeight: bigint;
  /** The stored terms. Undefined for a payout that was adopted. */
  readonly terms: FeeTerms | undefined;
}

/** The sends that take coins from the hot wallet and are in no block that the scanner has read. */
export interface UnderWay {
  /** The height to which the scanner has read. */
  readonly readTo: bigint;
  /** The payments to others. A sweep pays nobody. */
  readonly payments: readonly Pick<ChainOutput, "assetReference" | "units">[];
  /** Their number. The hot wallet may pay the fee of each. */
  readonly sends: number;
}

/** Sends from the hot wallet of a network where a transaction has a deadline and excludes no other, as on Tron and Solana. */
export interface DeadlineSender extends Omit<ChainSender, "places" | "follow"> {
  /** Returns the deadline that stored terms set. */
  deadlineOf(terms: FeeTerms): Omit<Deadline, "after">;
  /** `signed`: one transaction at most. */
  follow(
    send: ChainSend,
    signed: readonly SignedTransaction[],
    facts: DeadlineFacts,
  ): Promise<SendOutcome>;
}
