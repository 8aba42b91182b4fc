import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { postJson } from "./post-json.ts";

/** Ways in which an endpoint answers nothing useful. */
export const BROKEN_ANSWERS = [
  "status 429",
  "status 500",
  "status 503",
  "a page with status 200",
  "a reset connection",
  "no answer",
  "null",
  "the id of another question",
  "an error of its own",
  "half a body",
] as const;
export type BrokenAnswer = (typeof BROKEN_ANSWERS)[number];

export interface RpcQuestion {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** How an endpoint misbehaves. Nothing of it: it answers as its node does. */
export interface Behaviour {
  /** The broken answers, one of which is chosen for a request. */
  readonly broken?: readonly BrokenAnswer[];
  /** The part of the requests that are broken: all by default. */
  readonly isBroken?: () => boolean;
  /** The time before it answers. */
  readonly delayMs?: number;
  /** The blocks by which it is behind. It says nothing of newer ones. */
  readonly lag?: number;
  /** The longest range of blocks, and the most logs, that it answers. */
  readonly rangeMax?: number;
  readonly logsMax?: number;
  /** Returns the words with which it refuses a question. */
  readonly refuse?: (question: RpcQuestion) => string | undefined;
  /** Returns another result. */
  readonly rewrite?: (question: RpcQuestion, result: unknown) => unknown;
}

export interface LyingProxy {
  readonly url: string;
  behaviour: Behaviour;
  /** The number of questions that it was asked. */
  questions: number;
  close(): Promise<void>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface NodeAnswer extends Answer {
  readonly id: number;
}

type Log = { readonly blockNumber: string };
type Block = { readonly number: string } | null;

/** Starts an endpoint in front of a node. */
export async function startProxy(nodeUrl: string): Promise<LyingProxy> {
  const server = createServer((request, response) => {
    void serve(proxy, nodeUrl, { request, response }).catch(() => response.destroy());
  });
  const proxy: LyingProxy = {
    url: "",
    behaviour: {},
    questions: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

async function serve(
  proxy: LyingProxy,
  nodeUrl: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { behaviour } = proxy;
  if (behaviour.delayMs !== undefined) await sleep(behaviour.delayMs);
  const isBroken = behaviour.broken !== undefined && (behaviour.isBroken?.() ?? true);
  const choices = behaviour.broken ?? [];
  const broken = isBroken ? choices[proxy.questions % choices.length] : undefined;
  const requestBody = JSON.parse(text) as RpcQuestion | RpcQuestion[];
  const questions = Array.isArray(requestBody) ? requestBody : [requestBody];
  proxy.questions += questions.length;
  const send = (status: number, body: string): void => {
    const type = body.startsWith("<") ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type }).end(body);
  };
  if (broken === "status 429") return send(429, '{"error":"too many requests"}');
  if (broken === "status 500") return send(500, "an error");
  if (broken === "status 503") return send(503, "<h1>Maintenance</h1>");
  if (broken === "a page with status 200") return send(200, "<title>Just a moment</title>");
  if (broken === "a reset connection") return void request.socket.destroy();
  if (broken === "no answer") return;
  if (broken === "null") return send(200, "null");
  const { authorization } = request.headers;
  const ofNode = await postJson<readonly NodeAnswer[]>(nodeUrl, questions, authorization);
  const answers = await Promise.all(
    questions.map(async (question) => ({
      jsonrpc: "2.0",
      id: broken === "the id of another question" ? 999_999 : question.id,
      ...(broken === "an error of its own"
        ? { error: { code: -32_603, message: "internal error" } }
        : await answerOf(behaviour, nodeUrl, {
            question,
            answer: ofNode.find(({ id }) => id === question.id) ?? {},
          })),
    })),
  );
  const body = JSON.stringify(Array.isArray(requestBody) ? answers : answers[0]);
  send(200, broken === "half a body" ? body.slice(0, body.length / 2) : body);
}

async function answerOf(
  behaviour: Behaviour,
  nodeUrl: string,
  { question, answer }: { readonly question: RpcQuestion; readonly answer: Answer },
): Promise<Answer> {
  const tooMuch = refuseRange(behaviour, question);
  if (tooMuch) return tooMuch;
  const refusal = behaviour.refuse?.(question);
  if (refusal !== undefined) return { error: { code: -32_000, message: refusal } };
  if (answer.error) return { error: answer.error };
  let { result } = answer;
  if (behaviour.lag !== undefined) {
    result = await lagged(behaviour.lag, nodeUrl, { question, result });
  }
  const count = question.method === "eth_getLogs" ? (result as readonly Log[]).length : 0;
  if (count > (behaviour.logsMax ?? Number.POSITIVE_INFINITY)) {
    return error(`query returned more than ${behaviour.logsMax} results`);
  }
  return { result: behaviour.rewrite ? behaviour.rewrite(question, result) : result };
}

const error = (message: string): Answer => ({ error: { code: -32_005, message } });

function refuseRange({ rangeMax }: Behaviour, question: RpcQuestion): Answer | undefined {
  if (rangeMax === undefined || question.method !== "eth_getLogs") return undefined;
  const [filter] = question.params as [{ fromBlock: string; toBlock: string }];
  const length = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
  return length > rangeMax ? error(`block range is limited to ${rangeMax}`) : undefined;
}

/** A node that is behind answers a range with the logs that it has, and without an error. */
async function lagged(
  lag: number,
  nodeUrl: string,
  { question, result }: { readonly question: RpcQuestion; readonly result: unknown },
): Promise<unknown> {
  const ask = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
  const { result: head } = await postJson<Answer>(nodeUrl, ask);
  const top = Math.max(0, Number(head) - lag);
  switch (question.method) {
    case "eth_blockNumber":
      return `0x${top.toString(16)}`;
    case "eth_getLogs":
      return (result as readonly Log[]).filter(({ blockNumber }) => Number(blockNumber) <= top);
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return Number((result as Block)?.number ?? 0) > top ? null : result;
    default:
      return result;
  }
}
