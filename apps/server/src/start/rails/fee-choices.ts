import { type Static, Type } from "@sinclair/typebox";

const strict = { additionalProperties: false };

/** An amount of the network's own coin, in its smallest units. */
const Units = Type.String({ pattern: "^(0|[1-9][0-9]{0,29})$" });

const seconds = (minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum }));

/** The choices about the fees of one live network. */
export const FeeChoices = Type.Object(
  {
    kind: Type.Optional(Type.Unsafe<"market" | "catalogue">({ enum: ["market", "catalogue"] })),
    everySeconds: seconds(1, 600),
    freshSeconds: seconds(2, 3_600),
    surchargeUnits: Type.Optional(Units),
    fallback: Type.Optional(
      Type.Object(
        { rateUnits: Units, seconds: Type.Integer({ minimum: 1, maximum: 86_400 }) },
        strict,
      ),
    ),
  },
  strict,
);

export const FEE_SECONDS = { every: 12, fresh: 120 } as const;

/** A measurement that is stale before the next one would refuse quotes in between. */
export function feeProblems({ fees = {} }: { readonly fees?: Static<typeof FeeChoices> }) {
  const every = fees.everySeconds ?? FEE_SECONDS.every;
  const fresh = fees.freshSeconds ?? FEE_SECONDS.fresh;
  if (fresh >= 2 * every) return [];
  const sentence = `A measurement must be fresh for two periods of ${every} s at least. Use ${2 * every} or more.`;
  return [{ path: ".fees.freshSeconds", sentence }];
}
