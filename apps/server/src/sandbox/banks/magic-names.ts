/** The bank's treatment of a payout to an account holder with a documented name. */
export type NameBehaviour =
  | "slow"
  | "rejected"
  | "returned"
  /** The payment order arrives, but its answer is lost. */
  | "answer_lost"
  /** The first payment order is lost without a trace. */
  | "request_lost";

export interface MagicName {
  readonly name: string;
  readonly behaviour: NameBehaviour;
}

export const MAGIC_NAMES: readonly MagicName[] = [
  { name: "Slow Settlement", behaviour: "slow" },
  { name: "Rejected Payout", behaviour: "rejected" },
  { name: "Returned Payout", behaviour: "returned" },
  { name: "Lost Answer", behaviour: "answer_lost" },
  { name: "Lost Request", behaviour: "request_lost" },
];

const BEHAVIOURS = new Map(
  MAGIC_NAMES.map(({ name, behaviour }) => [name.toLowerCase(), behaviour]),
);

/** Ignores letter case and outer spaces. Returns undefined for every other name. */
export const behaviourOfName = (name: string): NameBehaviour | undefined =>
  BEHAVIOURS.get(name.trim().toLowerCase());
