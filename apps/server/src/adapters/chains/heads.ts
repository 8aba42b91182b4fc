import { type ChainHeads, Disagreement } from "../../domain/ports/chain-reader.ts";
import { type Answer, lowestOf, reachedBy } from "./agree.ts";

/** When a block is final. Both conditions must hold. */
export interface FinalityRule {
  /** The tag by which the network names its final block. `none`: the number of blocks alone decides. */
  readonly tag: "finalized" | "none";
  /** The least number of blocks from it to the head, itself included. */
  readonly atLeast: number;
}

/** The heads of one endpoint. `final` is undefined where it names none. */
export interface EndpointHeads {
  readonly latest: bigint;
  readonly final: bigint | undefined;
}

export interface HeadRules {
  readonly finality: FinalityRule;
  /** The number of endpoints that must agree. */
  readonly quorum: number;
  readonly endpoints: readonly { readonly isOwn: boolean }[];
}

/**
 * Returns the head: the highest block that enough endpoints have. An endpoint that runs ahead cannot push us, and one
 * that is behind cannot hold us. The same holds for the final block, which the operator's own nodes must have reached
 * too.
 */
export function agreeOnHeads(
  answers: readonly Answer<EndpointHeads>[],
  { finality, quorum: needed, endpoints }: HeadRules,
): ChainHeads {
  const believed = reachedBy(
    answers.map(({ value }) => value.latest),
    needed,
  );
  if (believed === undefined) throw new Disagreement("heads");
  const deepest = believed - BigInt(finality.atLeast) + 1n;
  if (deepest < 0n) return { believed, final: undefined };
  if (finality.tag === "none") return { believed, final: deepest };
  const tagged = reachedBy(
    answers.flatMap(({ value }) => value.final ?? []),
    needed,
  );
  const own = ownFinals(answers);
  if (tagged === undefined || own.length < endpoints.filter(({ isOwn }) => isOwn).length) {
    return { believed, final: undefined };
  }
  return { believed, final: lowestOf([tagged, deepest, ...own]) };
}

const ownFinals = (answers: readonly Answer<EndpointHeads>[]): readonly bigint[] =>
  answers.flatMap(({ endpoint, value }) => (endpoint.isOwn ? (value.final ?? []) : []));
