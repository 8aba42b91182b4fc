import { type Static, Type } from "@sinclair/typebox";
import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { CHAIN_IDS } from "../../domain/wallets/payment-uri.ts";
import { faultOf } from "../../signer/schema-check.ts";
import { type CoinChoices, CoinNetwork, coinProblems } from "./coin-choices.ts";
import {
  BlockHash,
  type ChainContext,
  type ChainProblem,
  CodeHashes,
  codeHashProblems,
  EndpointMembers,
  endpointProblems,
  Large,
  largeProblems,
  Scan,
  SHAPES,
  strict,
  units,
  whole,
  XpubDeposits,
} from "./endpoint-choices.ts";
import { Fees, feeProblems, Units } from "./fee-choices.ts";
import { depthProblems } from "./payout-depths.ts";
import { hotProblems } from "./signer-choices.ts";
import { type SolanaChoices, SolanaNetwork, solanaProblems } from "./solana-choices.ts";
import { GasTank, OwnWallet, Sweeps, sweepProblems } from "./sweep-choices.ts";
import { type TronChoices, TronNetwork, tronProblems } from "./tron-choices.ts";
import { type XrpChoices, XrpNetwork, xrpProblems } from "./xrp-choices.ts";

const EvmNetwork = Type.Object(
  {
    kind: Type.Literal("evm"),
    chainId: Type.Integer({ minimum: 1, maximum: 2 ** 32 }),
    genesis: Type.Optional(BlockHash),
    ...EndpointMembers,
    timeoutMs: whole(100, 60_000),
    finality: Type.Optional(
      Type.Object(
        {
          tag: Type.Optional(Type.Unsafe<"finalized" | "none">({ enum: ["finalized", "none"] })),
          atLeast: whole(1, 10_000),
          large: Type.Optional(Large),
        },
        strict,
      ),
    ),
    scan: Scan,
    deposits: XpubDeposits,
    codeHashes: CodeHashes,
    hot: Type.Optional(Type.Object(OwnWallet, strict)),
    payoutDepth: whole(1, 10_000),
    sweeps: Sweeps,
    gasTank: GasTank,
    payouts: Type.Optional(
      Type.Object(
        {
          feeMaxUnits: Type.Optional(units("^[1-9][0-9]{0,38}$")),
          tipMinUnits: Type.Optional(units("^(0|[1-9][0-9]{0,38})$")),
          gasFloorUnits: Type.Optional(Units),
        },
        strict,
      ),
    ),
    fees: Fees,
  },
  strict,
);

/** The kinds of networks, each with the form of its choices. */
const KINDS = {
  evm: EvmNetwork,
  utxo: CoinNetwork,
  tron: TronNetwork,
  solana: SolanaNetwork,
  xrp: XrpNetwork,
};
const CODE = /^[a-z0-9-]{1,64}$/;

/** The choices of one live EVM network. */
export type EvmChoices = Static<typeof EvmNetwork>;
/** The member `chains` of the rails file: the live networks by their code in the catalogue. */
export type ChainChoices = Readonly<Record<string, NetworkChoices>>;
export type NetworkChoices = EvmChoices | CoinChoices | TronChoices | SolanaChoices | XrpChoices;

/** Returns every problem of the member. Without one it has the form of `ChainChoices`. */
export function chainProblems(choices: unknown, context: ChainContext): readonly ChainProblem[] {
  if (typeof choices !== "object" || choices === null || Array.isArray(choices)) {
    return [{ path: "", sentence: "Write an object with a member for each network." }];
  }
  return Object.entries(choices).flatMap(([code, network]: [string, unknown]) => {
    if (!CODE.test(code)) {
      return [{ path: `.${code}`, sentence: "The name must be the code of a network." }];
    }
    return problemsOfOne(code, network, context).map(({ path, sentence }) => ({
      path: `.${code}${path}`,
      sentence,
    }));
  });
}

function problemsOfOne(
  code: string,
  network: unknown,
  context: ChainContext,
): readonly ChainProblem[] {
  const kind = (network as { readonly kind?: unknown } | null)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind)) {
    return [
      { path: ".kind", sentence: `The value must be one of ${Object.keys(KINDS).join(", ")}.` },
    ];
  }
  const schema = KINDS[kind as keyof typeof KINDS];
  const validate = SHAPES.compile(schema);
  if (!validate(network)) return (validate.errors ?? []).map(faultOf);
  const choices = network as NetworkChoices;
  return [...networkProblems(code, choices, context), ...feeProblems(choices)];
}

function networkProblems(
  code: string,
  choices: NetworkChoices,
  context: ChainContext,
): readonly ChainProblem[] {
  if (choices.kind === "utxo") return coinProblems(code, choices, context);
  if (choices.kind === "tron") return tronProblems(code, choices, context);
  if (choices.kind === "solana") return solanaProblems(code, choices, context);
  if (choices.kind === "xrp") return xrpProblems(code, choices, context);
  return evmProblems(code, choices, context);
}

function evmProblems(
  code: string,
  choices: EvmChoices,
  { environment, hasSigner, catalogue }: ChainContext,
): readonly ChainProblem[] {
  const problems: ChainProblem[] = [];
  const report = (path: string, sentence: string): void => void problems.push({ path, sentence });
  const network = catalogue.network(code);
  if (network?.addressFormat !== "evm") {
    const codes = catalogue.networks.filter((one) => one.addressFormat === "evm");
    const list = codes.map((one) => one.code).join(", ");
    report("", `The catalogue has no EVM network of this code. Use one of ${list}.`);
  }
  const own = CHAIN_IDS[code];
  const { chainId } = choices;
  if (environment === "prod" && own !== undefined && chainId !== own) {
    report(".chainId", `In prod ${code} has the chain id ${own}, not ${chainId}.`);
  }
  if (environment !== "prod" && Object.values(CHAIN_IDS).includes(chainId)) {
    report(".chainId", `${chainId} is a network with real coins, which only prod may use.`);
  }
  problems.push(...endpointProblems(choices, environment));
  problems.push(...payoutProblems(choices, { hasSigner }), ...sweepProblems(choices));
  problems.push(...largeProblems(choices, network), ...codeHashProblems(code, choices, catalogue));
  problems.push(...depthProblems(choices, network, { hasWord: true }));
  try {
    readDepositAccount(choices.deposits.xpub);
  } catch (error) {
    report(".deposits.xpub", `The value ${(error as Error).message}.`);
  }
  return problems;
}

function payoutProblems(
  choices: EvmChoices,
  { hasSigner }: Pick<ChainContext, "hasSigner">,
): readonly ChainProblem[] {
  const { hot } = choices;
  const problems: ChainProblem[] = [...hotProblems(choices, { hasSigner })];
  if (hot !== undefined && !checkAddress("evm", hot.address)) {
    const sentence = `The checksum of ${hot.address} is wrong. Copy it from signer status.`;
    problems.push({ path: ".hot.address", sentence });
  }
  return problems;
}
