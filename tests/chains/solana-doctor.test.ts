import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Examination } from "../../apps/server/src/adapters/chains/examination.ts";
import { examineSolanaEndpoints } from "../../apps/server/src/adapters/chains/solana/examine.ts";
import { makeSolanaChain, type SolanaChain } from "./world/solana-chain.ts";
import { HttpStatus, Refused, type SolanaNode, startSolanaNode } from "./world/solana-node.ts";

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

  const LONG = expect.stringMatching(
    /^node-0 does not answer getMultipleAccounts, by which the service reads 1000 balances in one request \(node-0: status 413\): Use an endpoint that takes requests of 51,200 bytes/,
  );

  test("an endpoint that takes shorter requests only is named", async () => {
    const [first] = nodes;
    if (first) first.takesBytes = 40_000;
    expect(await judge()).toEqual([LONG]);
    if (first) first.takesBytes = 51_200;
  });

  test("an endpoint that takes fewer questions in one request is named", async () => {
    const [first] = nodes;
    if (first) first.takesQuestions = 40;
    expect(await judge()).toEqual([
      expect.stringMatching(
        /refuses getTransaction, by which the service reads 50 transactions in one request/,
      ),
    ]);
    if (first) first.takesQuestions = 50;
  });

  test("a fault that is not a refusal is not called one, and ends the trials", async () => {
    const [first] = nodes;
    const methods: string[] = [];
    if (!first) return;
    first.before = ({ method }) => {
      methods.push(method);
      if (method === "getBlocks") throw new HttpStatus(429);
    };
    expect(await judge()).toEqual([
      "node-0 does not answer getBlocks, by which the service finds gaps in its ledger (node-0: status 429): Try again. If it fails again, use another endpoint or a larger plan.",
    ]);
    expect(methods.at(-1)).toBe("getBlocks");
  });

  test("the methods are tried at the endpoint's newest slot, as the service asks them", async () => {
    const [first] = nodes;
    if (!first) return;
    const slots: unknown[] = [];
    first.before = ({ method, params: [, words] }) => {
      if (!["getSignaturesForAddress", "getMultipleAccounts"].includes(method)) return;
      slots.push((words as { readonly minContextSlot?: number }).minContextSlot);
      throw new Refused(-32_016, "Minimum context slot has not been reached");
    };
    // A server behind the same balancer may be a moment late. That refuses no method.
    expect(await judge()).toEqual([]);
    expect(new Set(slots)).toEqual(new Set([Number(chain.head().slot)]));
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
