/** What the sandbox's bank does with money for an account holder of a documented name. */
export type NameBehaviour =
  | "slow"
  | "rejected"
  | "returned"
  /** The order to pay arrives, its answer does not. */
  | "answer_lost"
  /** The first order to pay does not arrive, and nothing tells so. */
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

/** Letter case and outer spaces do not count; undefined for every other name. */
export const behaviourOfName = (name: string): NameBehaviour | undefined =>
  BEHAVIOURS.get(name.trim().toLowerCase());
