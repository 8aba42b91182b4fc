import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Examination } from "../../apps/server/src/adapters/chains/examination.ts";
import { examineSolanaEndpoints } from "../../apps/server/src/adapters/chains/solana/examine.ts";
import { makeSolanaChain, type SolanaChain } from "./world/solana-chain.ts";
import { Refused, type SolanaNode, startSolanaNode } from "./world/solana-node.ts";

const ADAPTER = join(import.meta.dirname, "../../apps/server/src/adapters/chains/solana");
const METHOD = /"(get[A-Z]\w+|sendTransaction)"/g;
const METHODS = [
  ...new Set(
    readdirSync(ADAPTER).flatMap((file) =>
      [...readFileSync(join(ADAPTER, file), "utf8").matchAll(METHOD)].map(([, name]) => name ?? ""),
    ),
  ),
].sort();

describe("doctor on Solana", () => {
  let chain: SolanaChain;
  let nodes: readonly SolanaNode[];

  beforeAll(async () => {
    chain = await makeSolanaChain();
    nodes = [await startSolanaNode(chain), await startSolanaNode(chain)];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));
  afterEach(() => {
    for (const node of nodes) node.before = () => {};
  });

  const examine = (): Promise<Examination> =>
    examineSolanaEndpoints({
      networkCode: "solana",
      genesis: chain.genesis,
      endpoints: nodes.map(({ url }, at) => ({ name: `node-${at}`, url, isOwn: false })),
      quorum: 2,
      timeoutMs: 10_000,
      finality: { tag: "finalized", atLeast: 32 },
      suspect: () => {},
    });
  /** Returns what is wrong with each endpoint. */
  const judge = async (): Promise<readonly string[]> =>
    (await examine()).endpoints.flatMap((one) => {
      if ("problem" in one) return [`${one.name} does not answer: ${one.problem}`];
      return one.weaknesses.map(({ found, fix }) => `${one.name} ${found}: ${fix}`);
    });
  const refuse = (refused: string, error: Error): void => {
    const [first] = nodes;
    if (!first) return;
    first.before = ({ method }) => {
      if (method === refused) throw error;
    };
  };

  test("endpoints that answer everything are sound", async () => {
    expect(await judge()).toEqual([]);
  });

  test.each(METHODS)("an endpoint that refuses %s is named with it", async (method) => {
    refuse(method, new Refused(-32_601, "Method not found"));
    const [found, ...others] = await judge();
    expect(found).toMatch(new RegExp(`^node-0 .*${method}: Method not found`));
    expect(others).toEqual([]);
  });

  test("the answer says which work needs the method", async () => {
    refuse("getBlocksWithLimit", new Refused(-32_601, "Method not found"));
    expect(await judge()).toEqual([
      "node-0 refuses getBlocksWithLimit, by which the service proves a payout dead (node-0: getBlocksWithLimit: Method not found): Use an endpoint that answers it, or a plan of its provider that has it.",
    ]);
  });

  test("an endpoint that takes fewer addresses in one question is named", async () => {
    const [first] = nodes;
    if (!first) return;
    first.before = ({ method, params: [addresses] }) => {
      if (method !== "getMultipleAccounts" || (addresses as readonly string[]).length <= 5) return;
      throw new Refused(-32_602, "getMultipleAccounts is limited to a 5 range");
    };
    expect(await judge()).toEqual([expect.stringContaining("refuses getMultipleAccounts")]);
  });
});
