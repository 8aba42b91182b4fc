import {
  type BlockName,
  type ChainHeads,
  Disagreement,
} from "../../../domain/ports/chain-reader.ts";
import { lowestOf, type Quorum, reachedBy } from "../agree.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import type { XrpEndpointsOptions } from "./endpoints.ts";
import { askXrp, type XrpAnswer } from "./rpc.ts";
import { xrpWordsOf } from "./words.ts";

/** The refusals of a server that does not have a ledger, or not yet. */
const NO_LEDGER = ["lgrNotFound", "lgrNotValidated", "ledgerNotFound"];

/**
 * A validated ledger is never dropped, so the newest one that enough endpoints have is final too. The operator's own nodes
 * must have it.
 */
export async function readXrpHeads(
  quorum: Quorum,
  { quorum: needed, endpoints }: Pick<XrpEndpointsOptions, "endpoints" | "quorum">,
): Promise<ChainHeads> {
  const ask = async (rpc: Rpc): Promise<bigint> => (await readValidated(rpc)).height;
  const answers = await quorum.collect({ what: "validated ledgers", ask });
  const believed = reachedBy(
    answers.map(({ value }) => value),
    needed,
  );
  if (believed === undefined) throw new Disagreement("validated ledgers");
  const own = answers.filter(({ endpoint }) => endpoint.isOwn).map(({ value }) => value);
  const hasOwn = own.length === endpoints.filter(({ isOwn }) => isOwn).length;
  return { believed, final: hasOwn ? lowestOf([believed, ...own]) : undefined };
}

/** Returns the name of the endpoint's newest validated ledger. */
export async function readValidated(rpc: Rpc): Promise<BlockName> {
  return nameIn(rpc, await askXrp(rpc, ["ledger", { ledger_index: "validated" }]));
}

/** Returns the name of a validated ledger, as enough endpoints and the operator's own nodes have it. */
export async function nameOfLedger(quorum: Quorum, height: bigint): Promise<BlockName> {
  const what = `ledger ${height}`;
  const ask = async (rpc: Rpc): Promise<BlockName | undefined> =>
    (await readLedgers(rpc, height, height))?.[0];
  const name = await quorum.agree({ what, ask, keyOf: (found) => found?.hash, needsOwn: true });
  if (!name) throw new Disagreement(what);
  return name;
}

/** Returns the names of consecutive validated ledgers. Undefined when the endpoint does not have all of them. */
export async function readLedgers(
  rpc: Rpc,
  from: bigint,
  to: bigint,
): Promise<readonly BlockName[] | undefined> {
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  const answers = (await rpc.ask(
    heights.map((height) => ["ledger", { ledger_index: Number(height) }]),
  )) as XrpAnswer[];
  const names: BlockName[] = [];
  for (const [index, answer] of answers.entries()) {
    if (NO_LEDGER.includes(String(answer.error))) return undefined;
    // A closed ledger that is not validated may be dropped.
    if (answer.error === undefined && answer["validated"] !== true) return undefined;
    const name = nameIn(rpc, answer);
    if (name.height !== heights[index]) {
      throw new EndpointFault(rpc.name, `asked for ledger ${heights[index]}, got ${name.height}`);
    }
    names.push(name);
  }
  return names;
}

function nameIn(rpc: Rpc, answer: XrpAnswer | undefined): BlockName {
  const words = xrpWordsOf(rpc.name);
  if (answer?.error !== undefined || answer?.["validated"] !== true) {
    throw new EndpointFault(rpc.name, `no validated ledger: ${String(answer?.error)}`);
  }
  const ledger = words.object(answer["ledger"]);
  return {
    height: words.whole(answer["ledger_index"]),
    hash: words.hash(answer["ledger_hash"]),
    parent: words.hash(ledger["parent_hash"]),
  };
}
