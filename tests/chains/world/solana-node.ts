import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Block, Executed, SolanaChain } from "./solana-chain.ts";
import type { TokenHolding } from "./solana-tokens.ts";

/** A server that speaks as a node of Solana does, in front of a chain that several servers may share. */
export interface SolanaNode {
  readonly url: string;
  /** Called before each question is answered. It may change the chain, or throw instead of an answer. */
  before: (question: SolanaQuestion) => Promise<void> | void;
  /** Returns another answer. */
  rewrite: (question: SolanaQuestion, answer: unknown) => unknown;
  /** Whether it passes on what is broadcast. Otherwise it says so, and drops it. */
  takes: boolean;
  /** The number of newest slots that it does not know. */
  behind: number;
  /** The longest request that it takes. */
  takesBytes: number;
  /** The most questions that it takes in one request. */
  takesQuestions: number;
  close(): Promise<void>;
}

export interface SolanaQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** As an answer, it ends the connection instead. */
export const LOST = Symbol("lost");

/** The slots from the newest block down to the final one, as on the network. */
export const FINAL_BELOW = 32n;

const SIGNATURE_BYTES = 64;

/** Refuses a question as a node does. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ends the whole request with a status of HTTP. */
export class HttpStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

export async function startSolanaNode(chain: SolanaChain): Promise<SolanaNode> {
  const answer = async (question: SolanaQuestion): Promise<unknown> => {
    await node.before(question);
    return node.rewrite(question, answerOf(viewOf(chain, node), question));
  };
  const server = createServer((request, response) => {
    void serve(node, answer, { request, response }).catch((error: unknown) => {
      if (error instanceof HttpStatus) response.writeHead(error.status).end();
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: SolanaNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: () => {},
    rewrite: (_, found) => found,
    takes: true,
    behind: 0,
    // A validator takes no longer request, unless its operator allows more.
    takesBytes: 51_200,
    takesQuestions: 50,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return node;
}

interface RpcQuestion extends SolanaQuestion {
  readonly id: number;
}

async function serve(
  { takesBytes, takesQuestions }: SolanaNode,
  answer: (question: SolanaQuestion) => Promise<unknown>,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  if (Buffer.byteLength(text) > takesBytes) throw new HttpStatus(413);
  const body = JSON.parse(text) as RpcQuestion | readonly RpcQuestion[];
  const answers: object[] = [];
  for (const question of [body].flat() as readonly RpcQuestion[]) {
    const common = { jsonrpc: "2.0", id: question.id };
    try {
      if (Array.isArray(body) && body.length > takesQuestions) {
        throw new Refused(-32_600, `A batch has ${takesQuestions} questions at most`);
      }
      const result = await answer({ ...question, params: question.params ?? [] });
      if (result === LOST) throw new Error("the answer is lost");
      answers.push({ ...common, result });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      answers.push({ ...common, error: { code: error.code, message: error.message } });
    }
  }
  const value = Array.isArray(body) ? answers : answers[0];
  response.writeHead(200, { "content-type": "application/json" }).end(writeJson(value));
}

/** Lamports are whole numbers of any length in the answers of a node. */
const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "bigint" ? `bigint:${one}` : one,
  ).replaceAll(/"bigint:(\d+)"/g, "$1");

/** The chain as one node has it. */
interface View {
  readonly chain: SolanaChain;
  readonly takes: boolean;
  readonly head: Block;
  readonly final: Block;
}

function viewOf(chain: SolanaChain, { behind, takes }: SolanaNode): View {
  const head = chain.upTo(chain.head().slot - BigInt(behind));
  return { chain, takes, head, final: chain.upTo(head.slot - FINAL_BELOW) };
}

interface Words {
  readonly commitment?: string;
  readonly minContextSlot?: number;
  readonly limit?: number;
  readonly before?: string;
  readonly dataSlice?: { readonly offset: number; readonly length: number };
}

/** Without a word a node speaks of final blocks. */
const topOf = ({ head, final }: View, { commitment = "finalized" }: Words = {}): Block =>
  commitment === "finalized" ? final : head;

type Answers = Readonly<Record<string, (view: View, ...params: never[]) => unknown>>;

const ANSWERS = {
  getGenesisHash: ({ chain }) => chain.genesis,
  getVersion: () => ({ "solana-core": "of the tests", "feature-set": 1 }),
  getSlot: (view, words?: Words) => topOf(view, words).slot,
  getBlockHeight: (view, words?: Words) => topOf(view, words).number,
  getBlockTime: (view, slot: number) => blockAt(view, slot).seconds,
  getBlocks: (view, from: number, to: number, words?: Words) =>
    view.chain.blocks
      .map(({ slot }) => slot)
      .filter((slot) => slot >= from && slot <= to && slot <= topOf(view, words).slot),
  getBlocksWithLimit: (view, from: number, limit: number, words?: Words) =>
    view.chain.blocks
      .map(({ slot }) => slot)
      .filter((slot) => slot >= from && slot <= topOf(view, words).slot)
      .slice(0, limit),
  getBlock: (view, slot: number) => {
    const { hash, parent, number, seconds } = blockAt(view, slot);
    const times = { blockHeight: number, blockTime: seconds };
    return { blockhash: hash, previousBlockhash: parent, parentSlot: slot - 1, ...times };
  },
  getSignaturesForAddress: (view, address: string, words: Words = {}) => {
    requireSlot(topOf(view, words), words);
    const { limit = 1_000, before } = words;
    const all = transactionsOf(view, words)
      .filter(({ executed }) => executed.accounts.includes(address))
      .toReversed()
      .map(({ executed: { signature, error }, slot }) => ({ signature, slot, err: error }));
    const start = before === undefined ? 0 : all.findIndex((one) => one.signature === before) + 1;
    return all.slice(start, start + limit);
  },
  getTransaction: (view, signature: string, words?: Words) => {
    const found = transactionsOf(view, words).find((one) => one.executed.signature === signature);
    if (!found) return null;
    const { accounts, before, after, error, fee, tokensBefore, tokensAfter } = found.executed;
    return {
      slot: found.slot,
      meta: {
        err: error,
        fee,
        preBalances: before,
        postBalances: after,
        preTokenBalances: tokensBefore.map(tokensOf),
        postTokenBalances: tokensAfter.map(tokensOf),
        loadedAddresses: { writable: [], readonly: [] },
      },
      transaction: { signatures: [signature], message: { accountKeys: accounts } },
    };
  },
  getSignatureStatuses: (view, signatures: readonly string[]) => ({
    context: { slot: view.head.slot },
    value: signatures.map((signature) => {
      const words = { commitment: "confirmed" };
      const found = transactionsOf(view, words).find((one) => one.executed.signature === signature);
      return found ? { slot: found.slot, err: found.executed.error } : null;
    }),
  }),
  getAccountInfo: (view, address: string, words?: Words) => ({
    context: { slot: topOf(view, words).slot },
    value: accountOf(view, address, words),
  }),
  getMultipleAccounts: (view, addresses: readonly string[], words: Words = {}) => {
    const top = topOf(view, words);
    requireSlot(top, words);
    if (addresses.length > 100) throw new Refused(-32_602, "Too many inputs provided; max 100");
    const value = addresses.map((address) => accountOf(view, address, words));
    return { context: { slot: top.slot }, value };
  },
  getMinimumBalanceForRentExemption: ({ chain }, bytes: number) => chain.rent(bytes),
  getRecentPrioritizationFees: ({ head }) =>
    [0, 1_000, 2_000].map((fee, at) => ({ slot: Number(head.slot) - at, prioritizationFee: fee })),
  sendTransaction: ({ chain, takes }, text: string) => {
    const bytes = Buffer.from(text, "base64");
    if (bytes.length < SIGNATURE_BYTES) {
      throw new Refused(-32_602, "failed to deserialize: failed to fill whole buffer");
    }
    if (takes) chain.execute(bytes);
    return "1".repeat(64);
  },
} satisfies Answers;

function answerOf(view: View, { method, params }: SolanaQuestion): unknown {
  const found = (ANSWERS as Record<string, (view: View, ...params: unknown[]) => unknown>)[method];
  if (!found) throw new Refused(-32_601, "Method not found");
  return found(view, ...params);
}

function blockAt({ chain, head }: View, slot: number): Block {
  if (slot > head.slot) throw new Refused(-32_004, `Block not available for slot ${slot}`);
  const block = chain.blocks.find((one) => one.slot === BigInt(slot));
  if (block) return block;
  const message = `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`;
  throw new Refused(-32_007, message);
}

function requireSlot(top: Block, { minContextSlot = 0 }: Words): void {
  if (top.slot >= minContextSlot) return;
  throw new Refused(-32_016, "Minimum context slot has not been reached");
}

const transactionsOf = (
  view: View,
  words?: Words,
): readonly { readonly slot: bigint; readonly executed: Executed }[] =>
  view.chain.blocks
    .filter(({ slot }) => slot <= topOf(view, words).slot)
    .flatMap(({ slot, transactions }) => transactions.map((executed) => ({ slot, executed })));

const tokensOf = ({ units, ...holding }: TokenHolding): object => ({
  ...holding,
  uiTokenAmount: { amount: String(units), decimals: 6 },
});

function accountOf(view: View, address: string, words?: Words): object | null {
  const found = view.chain.account(address, topOf(view, words).slot);
  if (!found) return null;
  const { lamports, owner, executable, data } = found;
  const { offset, length } = words?.dataSlice ?? { offset: 0, length: data.length };
  const part = Buffer.from(data.subarray(offset, offset + length)).toString("base64");
  return { lamports, owner, executable, data: [part, "base64"], space: data.length };
}
