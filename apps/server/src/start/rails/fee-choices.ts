import { type Static, Type } from "@sinclair/typebox";
import type { FeeBounds, FeePolicy } from "../../domain/quotes/fee-rate.ts";
import { type ChainProblem, strict, units, whole } from "./endpoint-choices.ts";

/** An amount of the network's own coin, in its smallest units. */
export const Units = units("^(0|[1-9][0-9]{0,29})$");

/** The member `fees` of a live network: what a quote pays for the delivery. */
export const Fees = Type.Optional(
  Type.Object(
    {
      kind: Type.Optional(Type.Unsafe<"market" | "catalogue">({ enum: ["market", "catalogue"] })),
      everySeconds: whole(1, 600),
      freshSeconds: whole(2, 3_600),
      surchargeUnits: Type.Optional(Units),
      fallback: Type.Optional(
        Type.Object(
          { rateUnits: Units, seconds: Type.Integer({ minimum: 1, maximum: 86_400 }) },
          strict,
        ),
      ),
    },
    strict,
  ),
);

interface FeeChoices {
  readonly fees?: Static<typeof Fees>;
}

const FEE_SECONDS = { every: 12, fresh: 120 } as const;

/** Returns whether quotes that deliver on the network pay what its own market asks. */
export const hasFeeMarket = ({ fees }: FeeChoices): boolean => fees?.kind !== "catalogue";

export const feePeriodMsOf = ({ fees }: FeeChoices): number =>
  (fees?.everySeconds ?? FEE_SECONDS.every) * 1_000;

export const feePolicyOf = ({ fees }: FeeChoices, bounds: FeeBounds): FeePolicy => ({
  freshMs: (fees?.freshSeconds ?? FEE_SECONDS.fresh) * 1_000,
  surcharge: BigInt(fees?.surchargeUnits ?? 0),
  ...bounds,
  fallback: fees?.fallback && {
    rate: BigInt(fees.fallback.rateUnits),
    forMs: fees.fallback.seconds * 1_000,
  },
});

/** A measurement that is stale before the next one would refuse quotes in between. */
export function feeProblems({ fees = {} }: FeeChoices): readonly ChainProblem[] {
  const every = fees.everySeconds ?? FEE_SECONDS.every;
  const fresh = fees.freshSeconds ?? FEE_SECONDS.fresh;
  if (fresh >= 2 * every) return [];
  const sentence = `A measurement must be fresh for two periods of ${every} s at least. Use ${2 * every} or more.`;
  return [{ path: ".fees.freshSeconds", sentence }];
}
