import { Type } from "@sinclair/typebox";

const Units = Type.Optional(Type.String({ pattern: "^(0|[1-9][0-9]{0,37})$" }));

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

interface SweptChoices {
  readonly sweeps?: object;
  readonly hot?: object;
  readonly deposits: { readonly wallet?: string };
}

/** Returns the problems of the member, with their paths in the network. */
export function sweepProblems({ sweeps, hot, deposits }: SweptChoices) {
  if (sweeps === undefined) return [];
  const problems: { readonly path: string; readonly sentence: string }[] = [];
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
