import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { callNode } from "./anvil.ts";
import { remembered, sendingAnswer } from "./tron-sending.ts";
import {
  type AnvilTransaction,
  TRC10,
  type TronQuestion,
  tronTransaction,
} from "./tron-transactions.ts";

/** A server that speaks as a java-tron node and a node of solidified blocks do, in front of anvil. */
export interface TronNode {
  readonly url: string;
  /** Called before each question is answered. It may change the chain, or throw instead of an answer. */
  before: (question: TronQuestion) => Promise<void> | void;
  /** Returns another answer. */
  rewrite: (question: TronQuestion, answer: unknown) => unknown;
  /** Whether it carries out what is broadcast. Otherwise it says so, and drops it. */
  takes: boolean;
  /** Whether staked TRX pay for its transactions. */
  stakes: boolean;
  /** The keys that came with the questions. */
  readonly keys: Set<string>;
  close(): Promise<void>;
}

interface AnvilBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly AnvilTransaction[];
}

interface AnvilReceipt {
  readonly status: string;
  readonly transactionHash: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
}

/** As an answer, it ends the connection instead. */
export const LOST = Symbol("lost");

/** Hashes of Tron, and those of anvil that they stand for. */
const ours = new Map<string, string>();

/** The hashes of anvil are no longer in a block. Nodes take such transactions again, or still know them. */
export function dropTransactions(
  hashes: ReadonlySet<string>,
  nodes: "forget them" | "remember them",
): void {
  for (const [id, hash] of ours) {
    if (!hashes.has(hash)) continue;
    ours.delete(id);
    if (nodes === "remember them") remembered.add(id);
  }
}

/** A block's id begins with its number. */
function blockIdOf(height: bigint, hash: string): string {
  const id = `0x${height.toString(16).padStart(16, "0")}${hash.slice(18)}`;
  ours.set(id, hash);
  return id;
}

/** Refuses a question as java-tron does. */
class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startTronNode(anvilUrl: string): Promise<TronNode> {
  const keys = new Set<string>();
  const ask = <Result>(method: string, ...params: readonly unknown[]): Promise<Result> =>
    callNode<Result>(anvilUrl, method, params);
  const answer = async (question: TronQuestion): Promise<unknown> => {
    await node.before(question);
    const sent = question.method.startsWith("/")
      ? await sendingAnswer({ ask, ids: ours, takes: node.takes, stakes: node.stakes }, question)
      : undefined;
    const answerOf = question.method.startsWith("/") ? ownAnswer : ethereumAnswer;
    return node.rewrite(question, sent ?? (await answerOf(ask, question)));
  };
  const server = createServer((request, response) => {
    keys.add(String(request.headers["tron-pro-api-key"] ?? ""));
    void serve(answer, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: TronNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: () => {},
    rewrite: (_, found) => found,
    takes: true,
    stakes: false,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return node;
}

interface RpcQuestion extends TronQuestion {
  readonly id: number;
}

async function serve(
  answer: (question: TronQuestion) => Promise<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text) as object;
  const send = (value: unknown): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const path = request.url ?? "";
  if (path !== "/jsonrpc") {
    const found = await answer({ method: path, params: [body] }).catch((error: Error) => ({
      Error: `class java.lang.Exception : ${error.message}`,
    }));
    if (found === LOST) throw new Error("the answer is lost");
    return send(found);
  }
  const questions = (Array.isArray(body) ? body : [body]) as readonly RpcQuestion[];
  if (questions.length > 100) return send({ jsonrpc: "2.0", id: null, error: { code: -32_005 } });
  const answers = await Promise.all(
    questions.map(async (question) => {
      const common = { jsonrpc: "2.0", id: question.id };
      try {
        return { ...common, result: await answer(question) };
      } catch (error) {
        const { message } = error as Error;
        const code = error instanceof Refused ? error.code : -32_603;
        return { ...common, error: { code, message } };
      }
    }),
  );
  send(Array.isArray(body) ? answers : answers[0]);
}

type Ask = <Result>(method: string, ...params: readonly unknown[]) => Promise<Result>;

/** Answers a question of Ethereum's interface, as far as java-tron has it. */
async function ethereumAnswer(ask: Ask, { method, params }: TronQuestion): Promise<unknown> {
  const [first, second] = params;
  switch (method) {
    case "eth_chainId":
    case "eth_blockNumber":
    case "eth_getCode":
      return ask(method, ...params);
    case "eth_call":
    case "eth_getBalance":
      if (second === "latest") return ask(method, ...params);
      throw new Refused(-32_602, "QUANTITY not supported, just support TAG as latest");
    case "eth_getBlockByNumber":
      return ethereumBlock(await ask<AnvilBlock | null>(method, first, true), second);
    case "eth_getBlockByHash":
      return ethereumBlock(
        await ask<AnvilBlock | null>(method, ours.get(String(first)) ?? first, true),
        second,
      );
    case "eth_getLogs":
      return Promise.all(
        (await ask<readonly object[]>(method, first)).map((log) => inTron(ask, log)),
      );
    case "eth_getTransactionReceipt": {
      const receipt = await ask<{ logs: readonly object[] } | null>(
        method,
        ours.get(String(first)),
      );
      if (receipt === null) return null;
      const logs = await Promise.all(receipt.logs.map((log) => inTron(ask, log)));
      return { ...(await inTron(ask, receipt)), logs };
    }
    default:
      throw new Refused(-32_601, `the method ${method} does not exist/is not available`);
  }
}

const namesOf = ({ number, hash, parentHash }: AnvilBlock) => {
  const height = BigInt(number);
  return { hash: blockIdOf(height, hash), parentHash: blockIdOf(height - 1n, parentHash) };
};

/** The value of a payment of a TRC-10 token is its amount, as of a payment of TRX. */
function ethereumBlock(block: AnvilBlock | null, isFull: unknown) {
  if (block === null) return null;
  const transactions = block.transactions.map((one) => {
    const hash = `0x${tronTransaction(one).id}`;
    const value = one.input.startsWith(TRC10) ? `0x${one.input.slice(10)}` : one.value;
    return isFull === true ? { ...one, hash, value, nonce: null } : hash;
  });
  return { ...block, ...namesOf(block), transactions };
}

/** Returns a log or a receipt with the ids of Tron. */
async function inTron(ask: Ask, found: object): Promise<object> {
  const { transactionHash, blockHash, blockNumber } = found as Record<string, string>;
  const transaction = await ask<AnvilTransaction>("eth_getTransactionByHash", transactionHash);
  const id = `0x${tronTransaction(transaction).id}`;
  ours.set(id, transaction.hash);
  return {
    ...found,
    transactionHash: id,
    blockHash: blockIdOf(BigInt(String(blockNumber)), String(blockHash)),
  };
}

/** Answers a question of the node's own interface. */
async function ownAnswer(ask: Ask, { method, params }: TronQuestion): Promise<unknown> {
  const body = params[0] as Record<string, string | number>;
  const address = `0x${String(body["address"] ?? body["contract_address"]).slice(2)}`;
  switch (method) {
    case "/wallet/getblockbylimitnext": {
      const [low, high] = [Number(body["startNum"]), Number(body["endNum"])];
      if (high - low > 100 || high <= low) return {};
      const heights = Array.from({ length: high - low }, (_, index) => low + index);
      const blocks = await Promise.all(heights.map((height) => nodeBlock(ask, height)));
      const block = blocks.filter((one) => one !== null);
      return block.length === 0 ? {} : { block };
    }
    case "/walletsolidity/getaccount": {
      const balance = Number(await ask("eth_getBalance", address, "finalized"));
      return balance === 0 ? {} : { address: body["address"], balance };
    }
    case "/walletsolidity/triggerconstantcontract": {
      const data = `0x70a08231${body["parameter"]}`;
      const word = await ask<string>("eth_call", { to: address, data }, "finalized");
      return { result: { result: true }, constant_result: [word.slice(2)] };
    }
    default:
      throw new Error(`${method} is not found`);
  }
}

async function nodeBlock(ask: Ask, height: number): Promise<object | null> {
  const tag = `0x${height.toString(16)}`;
  const block = await ask<AnvilBlock | null>("eth_getBlockByNumber", tag, true);
  if (block === null) return null;
  const receipts = await ask<readonly AnvilReceipt[]>("eth_getBlockReceipts", tag);
  const { hash, parentHash } = namesOf(block);
  const transactions = block.transactions.map((transaction, index) => {
    const { id, rawData } = tronTransaction(transaction);
    ours.set(`0x${id}`, transaction.hash);
    const contractRet = receipts[index]?.status === "0x1" ? "SUCCESS" : "REVERT";
    return { ret: [{ contractRet }], txID: id, raw_data_hex: rawData };
  });
  return {
    blockID: hash.slice(2),
    block_header: { raw_data: { number: height, parentHash: parentHash.slice(2) } },
    ...(transactions.length > 0 && { transactions }),
  };
}
