import { type Static, Type } from "@sinclair/typebox";
import { readXrpDepositAccount } from "../../adapters/chains/xrp/addresses.ts";
import {
  type ChainContext,
  type ChainProblem,
  EndpointMembers,
  endpointProblems,
  HotAccount,
  strict,
  units,
  whole,
} from "./endpoint-choices.ts";
import { Fees } from "./fee-choices.ts";

/** The most ledgers for which a transaction may wait: some 13 minutes. */
const LIFE_MAX = 200;

/** An amount in drops. */
const Units = units("^(0|[1-9][0-9]{0,17})$");

export const XrpNetwork = Type.Object(
  {
    kind: Type.Literal("xrp"),
    networkId: Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }),
    ...EndpointMembers,
    timeoutMs: whole(100, 60_000),
    scan: Type.Optional(
      Type.Object(
        {
          pollMs: whole(50, 600_000),
          spanMax: whole(1, 1_000),
          keepBlocks: whole(1, 100_000),
          balancesSeconds: whole(0, 86_400),
        },
        strict,
      ),
    ),
    /** The one account, which takes the deposits and makes the payouts. */
    hot: HotAccount,
    fees: Fees,
    payouts: Type.Optional(
      Type.Object(
        {
          feeMaxUnits: Type.Optional(Units),
          floorUnits: Type.Optional(Units),
          ledgers: whole(4, LIFE_MAX),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** The choices of the XRP Ledger. */
export type XrpChoices = Static<typeof XrpNetwork>;

/** The network with real coins. Test networks have others. */
export const MAIN_NETWORK_ID = 0;

/** Returns the problems of a network's choices, which have the form of `XrpChoices`. */
export function xrpProblems(
  code: string,
  choices: XrpChoices,
  { environment, hasSigner, catalogue }: ChainContext,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [...endpointProblems(choices, environment)];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const { networkId, hot } = choices;
  if (catalogue.network(code)?.addressFormat !== "xrp") {
    report(
      "",
      "The catalogue has no network of this code with the XRP Ledger's addresses. Use xrpl.",
    );
  }
  if (environment === "prod" && networkId !== MAIN_NETWORK_ID) {
    report(
      ".networkId",
      `In prod ${code} has the network id ${MAIN_NETWORK_ID}, not ${networkId}.`,
    );
  }
  if (environment !== "prod" && networkId === MAIN_NETWORK_ID) {
    report(".networkId", `${networkId} is a network with real coins, which only prod may use.`);
  }
  if (!hasSigner) {
    report(".hot", "The file has no member signer, so nothing could sign. Add one.");
  }
  try {
    readXrpDepositAccount(hot.address);
  } catch (error) {
    report(".hot.address", `${(error as Error).message}. Copy it from signer status.`);
  }
  return problems;
}
