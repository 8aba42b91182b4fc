import { type Static, Type } from "@sinclair/typebox";
import { DISTINCT_PRICES } from "../../adapters/chains/solana/fees.ts";
import type { DepositAccount } from "../../domain/ports/chain-reader.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { depositAddressOf, fingerprintOfAccount } from "../../domain/wallets/solana.ts";
import { tokenFeeAt, tokenFeeAtPriceOf } from "../../domain/wallets/solana-token-message.ts";
import {
  type ChainContext,
  type ChainProblem,
  EndpointMembers,
  endpointProblems,
  Large,
  largeProblems,
  strict,
  units,
  WalletName,
  whole,
} from "./endpoint-choices.ts";
import { Fees, hasFeeMarket } from "./fee-choices.ts";
import { hotProblems } from "./signer-choices.ts";
import { Sweeps, sweepProblems } from "./sweep-choices.ts";

const Base58 = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "32 to 44 letters and digits of base58, as a node or signer status prints it",
});

export const SolanaNetwork = Type.Object(
  {
    kind: Type.Literal("solana"),
    /** The hash of the network's first block. */
    genesis: Base58,
    ...EndpointMembers,
    timeoutMs: whole(100, 60_000),
    finality: Type.Optional(
      Type.Object({ atLeast: whole(2, 10_000), large: Type.Optional(Large) }, strict),
    ),
    scan: Type.Optional(
      Type.Object(
        {
          pollMs: whole(50, 600_000),
          spanMax: whole(1, 10_000),
          keepBlocks: whole(1, 100_000),
          balancesSeconds: whole(0, 86_400),
        },
        strict,
      ),
    ),
    deposits: Type.Object(
      {
        /** The public key of the account whose deposit addresses are shown. */
        account: Base58,
        wallet: Type.Optional(WalletName),
      },
      strict,
    ),
    sweeps: Sweeps,
    hot: Type.Optional(Type.Object({ wallet: WalletName, address: Base58 }, strict)),
    /** The references of the tokens that are paid out. */
    tokens: Type.Optional(Type.Array(Type.String(), { maxItems: 20, uniqueItems: true })),
    fees: Fees,
    payouts: Type.Optional(
      Type.Object(
        {
          feeMaxUnits: Type.Optional(units("^[1-9][0-9]{3,17}$")),
          unitPriceMin: whole(0, 1_000_000_000),
          gasFloorUnits: Type.Optional(units("^(0|[1-9][0-9]{0,17})$")),
          expirationSeconds: whole(1, 3_600),
          graceBlocks: whole(1, 10_000),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** The choices of Solana. */
export type SolanaChoices = Static<typeof SolanaNetwork>;

/** The hash of the first block of the network with real coins. */
export const MAIN_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/** In lamports. */
const FEE_MAX = "100000";

/** Returns the most lamports that a transaction may cost. */
export const solanaFeeMaxOf = ({ payouts = {} }: SolanaChoices): bigint =>
  BigInt(payouts.feeMaxUnits ?? FEE_MAX);

/** Returns the least price of a compute unit, in millionths of a lamport, for payouts, sweeps and quotes alike. */
export const solanaUnitPriceMinOf = ({ payouts = {} }: SolanaChoices): bigint =>
  BigInt(payouts.unitPriceMin ?? 0);

/** The slots from a node's final block to its newest one, both included. */
const FINAL_SLOTS = 32;

/** Returns the problems of a network's choices, which have the form of `SolanaChoices`. */
export function solanaProblems(
  code: string,
  choices: SolanaChoices,
  { environment, hasSigner, catalogue }: ChainContext,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [...endpointProblems(choices, environment)];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const network = catalogue.network(code);
  const { genesis, deposits, hot } = choices;
  if (network?.addressFormat !== "solana") {
    report("", "The catalogue has no network of this code with Solana's addresses. Use solana.");
  }
  if (environment === "prod" && genesis !== MAIN_GENESIS) {
    report(".genesis", `In prod the first block of ${code} is ${MAIN_GENESIS}, not ${genesis}.`);
  }
  if (environment !== "prod" && genesis === MAIN_GENESIS) {
    report(".genesis", `${genesis} is a network with real coins, which only prod may use.`);
  }
  const atLeast = choices.finality?.atLeast ?? network?.confirmations ?? FINAL_SLOTS;
  if (atLeast < FINAL_SLOTS) {
    report(
      ".finality.atLeast",
      `A block of Solana is final after ${FINAL_SLOTS} slots, and with ${atLeast} no deposit would become final. Use ${FINAL_SLOTS} or more.`,
    );
  }
  problems.push(...largeProblems(choices, network));
  problems.push(...hotProblems(choices, { hasSigner }), ...sweepProblems(choices));
  for (const member of ["topUpsDayUnits", "leftUnits"] as const) {
    if (choices.sweeps?.[member] === undefined) continue;
    report(
      `.sweeps.${member}`,
      `A sweep of Solana takes all coins, and the hot wallet pays its fee. Remove sweeps.${member}.`,
    );
  }
  if (hot !== undefined && !checkAddress("solana", hot.address)) {
    report(
      ".hot.address",
      `${hot.address} is not an address of Solana. Copy it from signer status.`,
    );
  }
  if (!checkAddress("solana", deposits.account)) {
    report(".deposits.account", `${deposits.account} is not a key. Copy it from signer status.`);
  }
  return [...problems, ...tokenProblems(code, choices, catalogue)];
}

function tokenProblems(
  code: string,
  choices: SolanaChoices,
  catalogue: ChainContext["catalogue"],
): readonly ChainProblem[] {
  const { tokens = [], hot, fees } = choices;
  const problems = tokens.flatMap((reference, at): ChainProblem[] => {
    const path = `.tokens[${at}]`;
    const own = catalogue.currencies.filter(
      ({ networkCode, contractAddress }) => networkCode === code && contractAddress !== null,
    );
    const mint = own.find((one) => one.reference === reference)?.contractAddress;
    if (mint === undefined || mint === null) {
      const list = own.map((one) => one.reference).join(", ");
      const sentence = `The catalogue has no token ${reference} on ${code}. Use one of ${list}.`;
      return [{ path, sentence }];
    }
    if (checkAddress("solana", mint)) return [];
    const sentence = `The mint of ${reference} in the catalogue, ${mint}, is not an address of Solana.`;
    return [{ path, sentence }];
  });
  if (tokens.length === 0) return problems;
  if (hot === undefined) {
    const sentence =
      "Tokens are only paid out, which needs a hot wallet. Add hot, or remove tokens.";
    problems.push({ path: ".tokens", sentence });
  }
  const feeMax = solanaFeeMaxOf(choices);
  const fee = tokenFeeAt(solanaUnitPriceMinOf(choices) + BigInt(DISTINCT_PRICES - 1));
  if (fee > feeMax) {
    const sentence = `At this price a payout of a token costs up to ${fee} lamports, above the ${feeMax} of feeMaxUnits, so no token would ever be quoted. Lower unitPriceMin, or raise feeMaxUnits to ${fee} or more, and feeMax of the network in the signer's policy with it.`;
    problems.push({ path: ".payouts.unitPriceMin", sentence });
  }
  const fallback = tokenFeeAtPriceOf(BigInt(fees?.fallback?.rateUnits ?? 0));
  if (hasFeeMarket(choices) && fallback > feeMax) {
    const sentence = `At this rate for SOL, a payout of a token costs ${fallback} lamports, above the ${feeMax} of feeMaxUnits, so no token would be quoted at this rate. Lower rateUnits, or raise feeMaxUnits to ${fallback} or more, and feeMax of the network in the signer's policy with it.`;
    problems.push({ path: ".fees.fallback.rateUnits", sentence });
  }
  return problems;
}

/** Returns the account of the deposit addresses: each is derived from its public key and a seed. */
export const solanaAccountOf = ({ deposits: { account } }: SolanaChoices): DepositAccount => ({
  fingerprint: fingerprintOfAccount(account),
  addressAt: (index) => depositAddressOf(account, index).address,
});
