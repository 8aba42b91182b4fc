import { type Static, Type } from "@sinclair/typebox";
import { readTronDepositAccount } from "../../adapters/chains/tron/addresses.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import {
  BlockHash,
  type ChainContext,
  type ChainProblem,
  CodeHashes,
  codeHashProblems,
  EndpointMembers,
  endpointProblems,
  HotAccount,
  Large,
  largeProblems,
  Scan,
  strict,
  units,
  whole,
  XpubDeposits,
} from "./endpoint-choices.ts";
import { Fees } from "./fee-choices.ts";
import { hotProblems } from "./signer-choices.ts";
import { Sweeps, sweepProblems } from "./sweep-choices.ts";

/** An amount in sun. */
const Units = units("^(0|[1-9][0-9]{0,18})$");

export const TronNetwork = Type.Object(
  {
    kind: Type.Literal("tron"),
    chainId: Type.Integer({ minimum: 1, maximum: 2 ** 32 }),
    genesis: Type.Optional(BlockHash),
    ...EndpointMembers,
    timeoutMs: whole(100, 60_000),
    finality: Type.Optional(
      Type.Object({ atLeast: whole(1, 10_000), large: Type.Optional(Large) }, strict),
    ),
    scan: Scan,
    deposits: XpubDeposits,
    sweeps: Sweeps,
    codeHashes: CodeHashes,
    hot: Type.Optional(HotAccount),
    fees: Fees,
    payouts: Type.Optional(
      Type.Object(
        {
          feeMaxUnits: Type.Optional(Units),
          gasFloorUnits: Type.Optional(Units),
          expirationSeconds: whole(5, 3_600),
          graceSeconds: whole(1, 3_600),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** The choices of Tron. */
export type TronChoices = Static<typeof TronNetwork>;

/** 50 TRX, in sun. */
const FEE_MAX = "50000000";

/** Returns the most sun that the call of a token may burn. */
export const tronFeeMaxOf = ({ payouts = {} }: TronChoices): bigint =>
  BigInt(payouts.feeMaxUnits ?? FEE_MAX);

/** The last four bytes of the first block's hash, as `eth_chainId` says them. Test networks have others. */
const MAIN_CHAIN_ID = 728_126_428;

/** Returns the problems of a network's choices, which have the form of `TronChoices`. */
export function tronProblems(
  code: string,
  choices: TronChoices,
  { environment, hasSigner, catalogue }: ChainContext,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [...endpointProblems(choices, environment)];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const network = catalogue.network(code);
  const { chainId, deposits, hot } = choices;
  if (network?.addressFormat !== "tron") {
    report("", "The catalogue has no network of this code with Tron's addresses. Use tron.");
  }
  if (environment === "prod" && chainId !== MAIN_CHAIN_ID) {
    report(".chainId", `In prod ${code} has the chain id ${MAIN_CHAIN_ID}, not ${chainId}.`);
  }
  if (environment !== "prod" && chainId === MAIN_CHAIN_ID) {
    report(".chainId", `${chainId} is a network with real coins, which only prod may use.`);
  }
  problems.push(...largeProblems(choices, network), ...sweepProblems(choices));
  problems.push(...hotProblems(choices, { hasSigner }));
  problems.push(...codeHashProblems(code, choices, catalogue));
  if (hot !== undefined && !checkAddress("tron", hot.address)) {
    report(
      ".hot.address",
      `${hot.address} is not an address of Tron, or its checksum is wrong. Copy it from signer status.`,
    );
  }
  try {
    readTronDepositAccount(deposits.xpub);
  } catch (error) {
    report(".deposits.xpub", `The value ${(error as Error).message}.`);
  }
  return problems;
}
