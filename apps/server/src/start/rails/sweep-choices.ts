import { Type } from "@sinclair/typebox";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import { strict, units, WalletName } from "./endpoint-choices.ts";

const Units = Type.Optional(units("^(0|[1-9][0-9]{0,37})$"));
/** A wallet of one address, by its name in the signer's policy. */
export const OwnWallet = {
  wallet: WalletName,
  address: Type.String({
    pattern: "^0x[0-9a-fA-F]{40}$",
    description: "0x and 40 hexadecimal digits, as signer status prints it",
  }),
};

/** The member `gasTank` of a live network: the wallet that pays for the fees of deposit addresses. */
export const GasTank = Type.Optional(Type.Object({ ...OwnWallet, capPerDayUnits: Units }, strict));

/** The member `sweeps` of a live network: when coins of deposit addresses are collected. */
export const Sweeps = Type.Optional(
  Type.Object(
    {
      aboveEuro: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
      maxHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720 })),
      topUpsDayUnits: Units,
      leftUnits: Units,
    },
    { additionalProperties: false },
  ),
);

interface NamedWallet {
  readonly wallet: string;
  readonly address: string;
}

interface SweptChoices {
  readonly sweeps?: { readonly topUpsDayUnits?: string };
  readonly gasTank?: NamedWallet & { readonly capPerDayUnits?: string };
  readonly hot?: NamedWallet;
  readonly deposits: { readonly wallet?: string };
}

interface Problem {
  readonly path: string;
  readonly sentence: string;
}

function tankProblems({ sweeps, gasTank, hot }: SweptChoices): readonly Problem[] {
  if (gasTank === undefined) return [];
  const problems: Problem[] = [];
  const { wallet, address, capPerDayUnits } = gasTank;
  if (hot === undefined) {
    const sentence = "A gas tank needs a hot wallet beside it. Add hot, or remove gasTank.";
    problems.push({ path: ".gasTank", sentence });
  }
  if (wallet === hot?.wallet || address.toLowerCase() === hot?.address.toLowerCase()) {
    const sentence = "The gas tank is the hot wallet. Name another wallet of the signer's policy.";
    problems.push({ path: ".gasTank", sentence });
  }
  if (!checkAddress("evm", address)) {
    const sentence = `The checksum of ${address} is wrong. Copy it from signer status.`;
    problems.push({ path: ".gasTank.address", sentence });
  }
  if (capPerDayUnits !== undefined && sweeps?.topUpsDayUnits !== undefined) {
    const sentence = "gasTank.capPerDayUnits is the limit of a day. Remove sweeps.topUpsDayUnits.";
    problems.push({ path: ".sweeps.topUpsDayUnits", sentence });
  }
  return problems;
}

/** Returns the problems of the members, with their paths in the network. */
export function sweepProblems(choices: SweptChoices): readonly Problem[] {
  const { sweeps, hot, deposits } = choices;
  const problems = [...tankProblems(choices)];
  if (sweeps === undefined) return problems;
  if (hot === undefined) {
    const sentence = "Sweeps need a hot wallet to go to. Add hot, or remove sweeps.";
    problems.push({ path: ".sweeps", sentence });
  }
  if (deposits.wallet === undefined) {
    const sentence =
      "The signer must know the deposit addresses. Name them in deposits.wallet, or remove sweeps.";
    problems.push({ path: ".sweeps", sentence });
  }
  return problems;
}
