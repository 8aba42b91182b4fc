import { type Static, type TObject, Type } from "@sinclair/typebox";
import { APPROVALS_MAX, APPROVER_NAME_CHARACTERS_MAX } from "../domain/payouts/release-text.ts";
import { checkerOf } from "./schema-check.ts";
import type { RefusalReason } from "./signer-error.ts";

/** The longest request and answer. A batch of a hundred releases has about 80 kB. */
const FRAME_BYTES_MAX = 256 * 1024;
const HEAD_BYTES = 4;

const closed = { additionalProperties: false } as const;
const Whole = Type.String({ pattern: "^(0|[1-9][0-9]{0,38})$" });
const Positive = Type.String({ pattern: "^[1-9][0-9]{0,77}$" });
/** The form of an Ed25519 signature in base64. */
export const SIGNATURE_PATTERN = "^[A-Za-z0-9+/]{86}==$";
const Signature = Type.String({ pattern: SIGNATURE_PATTERN });
const Index = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
/** The form of a name in the policy. The signer prints names, so they have no line ends. */
export const NAME_PATTERN = "^[a-z0-9][a-z0-9._-]{0,63}$";
export const NAME_FORM = "a name of 1 to 64 of a-z, 0-9 and . - _, the first of a-z or 0-9";
const Name = Type.String({ pattern: NAME_PATTERN, description: NAME_FORM });
const ApproverName = Type.String({ maxLength: APPROVER_NAME_CHARACTERS_MAX });
/** A wallet of one address, or one address of a wallet of many: "eth-hot-1", "eth-deposits/17". */
const Account = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{0,63}(/(0|[1-9][0-9]{0,8}))?$" });

const SignedRelease = Type.Object(
  {
    text: Type.String({ maxLength: 4_096 }),
    signature: Signature,
    approvals: Type.Array(Type.Object({ name: ApproverName, signature: Signature }, closed), {
      maxItems: APPROVALS_MAX,
    }),
  },
  closed,
);

/** The fee of a transaction on an EVM network, by EIP-1559 or in the older form. */
const GasTerms = Type.Union([
  Type.Object(
    {
      type: Type.Literal("eip1559"),
      gasLimit: Positive,
      maxFeePerGas: Positive,
      maxPriorityFeePerGas: Whole,
    },
    closed,
  ),
  Type.Object({ type: Type.Literal("legacy"), gasLimit: Positive, gasPrice: Positive }, closed),
]);

const Milliseconds = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** The block that a transaction of Tron builds on, its deadline, and the most that its call may burn. */
const TronTerms = Type.Object(
  {
    /** The last two bytes of the block's height, and eight bytes of its id. */
    reference: Type.String({ pattern: "^[0-9a-f]{20}$" }),
    expiration: Milliseconds,
    timestamp: Milliseconds,
    /** In sun. 0 for a transfer of TRX, which calls no contract. */
    feeLimit: Whole,
  },
  closed,
);

const Base58 = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" });

/** The recent block of a transaction of Solana, the time from which another may follow it, and its price. */
const SolanaTerms = Type.Object(
  {
    reference: Base58,
    expiration: Milliseconds,
    /** In millionths of a lamport for each compute unit. */
    unitPrice: Whole,
  },
  closed,
);

/** The fee of a transaction of the XRP Ledger in drops, and the last ledger that may have it. */
const XrpTerms = Type.Object(
  { fee: Positive, lastLedger: Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 }) },
  closed,
);

/** A coin of a wallet, and the path to its key. */
const PlanCoin = Type.Object(
  {
    transaction: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    output: Type.Integer({ minimum: 0, maximum: 65_535 }),
    units: Positive,
    branch: Type.Union([Type.Literal(0), Type.Literal(1)]),
    index: Index,
  },
  closed,
);

/**
 * The coins that pay, the order of the outputs, and the change. There are no scripts and no addresses in it:
 * the signer derives both.
 */
const CoinPlan = Type.Object(
  {
    inputs: Type.Array(PlanCoin, { minItems: 1, maxItems: 200 }),
    change: Type.Union([
      Type.Null(),
      Type.Object({ units: Positive, index: Index, position: Index }, closed),
    ]),
  },
  closed,
);

/** Change of a transaction that was signed before. It has no branch: only change is raised, and only to change. */
const OwnChange = Type.Omit(PlanCoin, ["branch"], closed);

const id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const operation = <Name extends string, Fields extends TObject["properties"]>(
  name: Name,
  fields: Fields,
) => Type.Object({ id, op: Type.Literal(name), ...fields }, closed);

/** Coins that move between two accounts of the policy. */
const Sweep = {
  from: Account,
  to: Account,
  asset: Name,
  units: Positive,
} as const;

const OPERATIONS = {
  pay: operation("pay", { release: SignedRelease, gas: GasTerms }),
  pay_coins: operation("pay_coins", {
    releases: Type.Array(SignedRelease, { minItems: 1, maxItems: 100 }),
    plan: CoinPlan,
  }),
  pay_tron: operation("pay_tron", { release: SignedRelease, terms: TronTerms }),
  pay_solana: operation("pay_solana", { release: SignedRelease, terms: SolanaTerms }),
  pay_xrp: operation("pay_xrp", { release: SignedRelease, terms: XrpTerms }),
  cancel_xrp: operation("cancel_xrp", {
    from: Name,
    sequence: Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 }),
    terms: XrpTerms,
  }),
  raise_coins: operation("raise_coins", {
    wallet: Name,
    coin: OwnChange,
    change: Type.Object({ units: Positive, index: Index }, closed),
  }),
  consolidate_coins: operation("consolidate_coins", {
    wallet: Name,
    inputs: Type.Array(PlanCoin, { minItems: 2, maxItems: 200 }),
    change: Type.Object({ units: Positive, index: Index }, closed),
  }),
  sweep: operation("sweep", { ...Sweep, nonce: Whole, gas: GasTerms }),
  sweep_tron: operation("sweep_tron", { ...Sweep, terms: TronTerms }),
  sweep_solana: operation("sweep_solana", { ...Sweep, terms: SolanaTerms }),
  cancel: operation("cancel", { from: Account, nonce: Whole, gas: GasTerms }),
  check: operation("check", { release: SignedRelease }),
  status: operation("status", {}),
  addresses: operation("addresses", {
    wallet: Name,
    from: Index,
    count: Type.Integer({ minimum: 1, maximum: 1_000 }),
  }),
} as const;

export type PayRequest = Static<typeof OPERATIONS.pay>;
export type PayCoinsRequest = Static<typeof OPERATIONS.pay_coins>;
export type PayTronRequest = Static<typeof OPERATIONS.pay_tron>;
export type PaySolanaRequest = Static<typeof OPERATIONS.pay_solana>;
export type PayXrpRequest = Static<typeof OPERATIONS.pay_xrp>;
export type CancelXrpRequest = Static<typeof OPERATIONS.cancel_xrp>;
export type RaiseCoinsRequest = Static<typeof OPERATIONS.raise_coins>;
export type ConsolidateCoinsRequest = Static<typeof OPERATIONS.consolidate_coins>;
export type CheckRequest = Static<typeof OPERATIONS.check>;
export type SweepRequest = Static<typeof OPERATIONS.sweep>;
export type SweepTronRequest = Static<typeof OPERATIONS.sweep_tron>;
export type SweepSolanaRequest = Static<typeof OPERATIONS.sweep_solana>;
export type CancelRequest = Static<typeof OPERATIONS.cancel>;
export type AddressesRequest = Static<typeof OPERATIONS.addresses>;
export type GasTerms = Static<typeof GasTerms>;
export type TronTerms = Static<typeof TronTerms>;
export type SolanaTerms = Static<typeof SolanaTerms>;
export type XrpTerms = Static<typeof XrpTerms>;
export type CoinPlan = Static<typeof CoinPlan>;
export type SignedRelease = Static<typeof SignedRelease>;
export type SignerRequest = Static<(typeof OPERATIONS)[keyof typeof OPERATIONS]>;

export interface SignedAnswer {
  /** The transaction's id on its network. */
  readonly hash: string;
  /** The signed bytes in hex, without "0x". */
  readonly bytes: string;
}

export interface WalletStatus {
  readonly network: string;
  readonly keystore: string;
  readonly path: string;
  /** `gas`: it pays for the transactions of deposit addresses only. Null for any other wallet. */
  readonly purpose: "gas" | null;
  /** The address, for a wallet of one. */
  readonly address: string | null;
  /** The extended public key, for a wallet of many addresses. */
  readonly publicKey: string | null;
}

/** One account that signed. `highest` is its highest nonce; null where there are none. */
export interface AccountStatus {
  readonly signatures: number;
  readonly highest: string | null;
}

export interface StatusAnswer {
  readonly installation: string;
  /** The public keys whose releases are signed. Absent from an earlier signer. */
  readonly releaseKeys?: readonly string[];
  readonly fingerprints: { readonly hot: string; readonly deposits: string };
  readonly logEntries: number;
  readonly logHead: string;
  readonly wallets: Readonly<Record<string, WalletStatus>>;
  readonly accounts: Readonly<Record<string, AccountStatus>>;
}

/** No rule of the signer stands against the payment now. It signed nothing. */
export interface CheckAnswer {
  readonly isAllowed: true;
}

export interface AddressesAnswer {
  readonly addresses: readonly { readonly path: string; readonly address: string }[];
}

/** The one form of every error. `reason` is present when the request was refused by a rule. */
export interface SignerFailure {
  readonly code: "BAD_REQUEST" | "REFUSED" | "FAULT";
  readonly reason?: RefusalReason;
  readonly message: string;
}

export type SignerAnswer =
  | {
      readonly id: number | null;
      readonly ok: SignedAnswer | CheckAnswer | StatusAnswer | AddressesAnswer;
    }
  | { readonly id: number | null; readonly error: SignerFailure };

const checkHead = checkerOf(
  Type.Object({ id, op: Type.Unsafe<string>({ enum: Object.keys(OPERATIONS) }) }),
  "request",
);
const CHECKS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, schema]) => [name, checkerOf(schema, "request")]),
);

/** Parses a request. Throws a `SignerError` that names every problem. */
export function parseRequest(text: string): SignerRequest {
  const { op } = checkHead(text);
  return CHECKS[String(op)]?.(text) as SignerRequest;
}

/** Returns the id of a request that is not valid otherwise, so that its error finds its way. */
export function idOfRequest(text: string): number | null {
  try {
    return checkHead(text).id;
  } catch {
    return null;
  }
}

/** Returns one message as it crosses the socket: its length in four bytes, then JSON. */
export function writeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  if (body.length > FRAME_BYTES_MAX) throw new FrameError(body.length);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Returns a function that takes bytes as they arrive and returns the messages that they complete. */
export function makeFrameReader(): (bytes: Uint8Array) => string[] {
  let pending = Buffer.alloc(0);
  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    const messages: string[] = [];
    while (pending.length >= HEAD_BYTES) {
      const length = pending.readUInt32BE(0);
      if (length > FRAME_BYTES_MAX) throw new FrameError(length);
      if (pending.length < HEAD_BYTES + length) break;
      messages.push(pending.toString("utf8", HEAD_BYTES, HEAD_BYTES + length));
      pending = pending.subarray(HEAD_BYTES + length);
    }
    return messages;
  };
}

/** The other side announced a message that is too long. Nothing after it can be read. */
export class FrameError extends Error {
  constructor(length: number) {
    super(`A message has ${length} bytes; at most ${FRAME_BYTES_MAX} are accepted.`);
  }
}
