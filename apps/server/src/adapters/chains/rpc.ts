import { Agent, request } from "undici";
import { startDeadline } from "../../deadline.ts";
import { plainWords } from "../../domain/ports/plain-words.ts";
import { readRetryAfter } from "../../retry-after.ts";
import { firstOf } from "../client.ts";

/** The endpoint gave no well-formed answer to this question: it is down, slow, busy, broken or lying. */
export class EndpointFault extends Error {
  override readonly name = "EndpointFault";
  /** How long the endpoint asked to be left alone. */
  readonly restMs: number | undefined;

  constructor(endpoint: string, problem: string, restMs?: number) {
    super(plainWords(`${endpoint}: ${problem}`));
    this.restMs = restMs;
  }
}

/** The endpoint refused the question because the answer would be too long. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor(message: string) {
    super(plainWords(message));
  }
}

/** The endpoint answered with an error of its own. */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";
  /** The number of the error, where the endpoint names one. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(plainWords(message));
    this.code = code;
  }
}

/** A method and its parameters. */
export type RpcCall = readonly [method: string, ...parameters: unknown[]];

/** JSON-RPC 2.0 over HTTP. */
export interface Rpc {
  readonly name: string;
  /** Asks several questions in one request, and returns their results in the same order. */
  ask(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export interface RpcOptions {
  readonly name: string;
  /** May hold a key, so it is in no message. */
  readonly url: string;
  readonly timeoutMs: number;
}

const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_MS_MAX = 60_000;
const BUSY_REST_MS = 2_000;
/** Codes that providers use for a range or a result that is too long, among others. */
const TOO_MUCH_CODES = new Set([-32_005, -32_602, -32_614, -32_000]);
const TOO_MUCH_WORDS = /range|limit|more than|too (many|large|big)|exceed|response size/i;

/** Posts bodies to one server, and returns the answers as text. */
export interface Poster {
  /** `path` is added to the server's address. */
  post(body: string, path?: string): Promise<string>;
  close(): Promise<void>;
}

export type Headers = Readonly<Record<string, string>>;

/** Makes a client of one address. An answer that is late, too long or not a success is a fault of the endpoint. */
export function makePoster({ name, url, timeoutMs }: RpcOptions, headers: Headers = {}): Poster {
  const agent = new Agent({
    connect: { timeout: timeoutMs, rejectUnauthorized: true },
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The timer of each request bounds the headers and the body.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const fault = (problem: string, restMs?: number) => new EndpointFault(name, problem, restMs);
  const post = async (body: string, path = ""): Promise<string> => {
    const controller = new AbortController();
    const { signal } = controller;
    const deadline = startDeadline(timeoutMs, () => controller.abort());
    return exchange(agent, { url: `${url}${path}`, body, signal, headers }, fault)
      .catch((error: unknown) => {
        if (error instanceof EndpointFault || error instanceof AnswerTooLong) throw error;
        throw fault(signal.aborted ? `no answer in ${timeoutMs} ms` : wordsOf(error));
      })
      .finally(() => deadline.stop());
  };
  return { post, close: () => agent.destroy() };
}

/** Makes a strict client: an answer that is not exactly one to our question is a fault of the endpoint. */
export function makeRpc(
  options: RpcOptions,
  headers: Headers = {},
  parse: (text: string) => unknown = JSON.parse,
): Rpc {
  const { name } = options;
  const poster = makePoster(options, headers);
  let lastId = 0;
  const post = async (body: string): Promise<unknown> => {
    const text = await poster.post(body);
    try {
      return parse(text);
    } catch {
      throw new EndpointFault(name, "the answer is not JSON");
    }
  };
  const ask: Rpc["ask"] = async (calls) => {
    if (calls.length === 0) return [];
    const questions = calls.map(([method, ...params]) => {
      lastId += 1;
      return { jsonrpc: "2.0", id: lastId, method, params };
    });
    const isBatch = questions.length > 1;
    const answer = await post(JSON.stringify(isBatch ? questions : questions[0]));
    const answers = isBatch && Array.isArray(answer) ? answer : [answer];
    const byId = new Map(answers.map((one) => [idOf(one), one]));
    return questions.map(({ id, method }) => {
      // A refusal of the whole batch is one answer without an id.
      const own = byId.get(id) ?? (byId.has(null) ? byId.get(null) : undefined);
      return resultOf(own, { name, method, isRefusalOnly: !byId.has(id) });
    });
  };
  return { name, ask, close: poster.close };
}

type Fault = (problem: string, restMs?: number) => EndpointFault;

async function exchange(
  agent: Agent,
  question: {
    readonly url: string;
    readonly body: string;
    readonly signal: AbortSignal;
    readonly headers: Headers;
  },
  fault: Fault,
): Promise<string> {
  const { url, body, signal } = question;
  const headers = {
    ...question.headers,
    "content-type": "application/json",
    accept: "application/json",
  };
  const options = { dispatcher: agent, method: "POST", headers, body, signal } as const;
  const response = await request(url, options);
  if (response.statusCode !== 200) {
    response.body.on("error", () => {}).destroy();
    const { statusCode: status, headers } = response;
    const isBusy = status === 429 || status === 503;
    throw fault(`status ${status}`, isBusy ? restOf(headers["retry-after"]) : undefined);
  }
  const chunks: Buffer[] = [];
  let bytesRead = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytesRead += chunk.length;
    if (bytesRead > ANSWER_BYTES_MAX) throw new AnswerTooLong("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function restOf(header: string | string[] | undefined): number {
  const waitMs = readRetryAfter(firstOf(header), Date.now()) || BUSY_REST_MS;
  return Math.min(waitMs, RETRY_AFTER_MS_MAX);
}

interface RpcAnswer {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

const isObject = (value: unknown): value is RpcAnswer =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const idOf = (answer: unknown): unknown => (isObject(answer) ? (answer.id ?? null) : undefined);

function resultOf(
  answer: unknown,
  question: { readonly name: string; readonly method: string; readonly isRefusalOnly: boolean },
): unknown {
  const { name, method, isRefusalOnly } = question;
  if (!isObject(answer) || answer.jsonrpc !== "2.0") {
    throw new EndpointFault(name, `no answer to ${method}`);
  }
  if (answer.error) {
    const message = String(answer.error.message).slice(0, 200);
    if (TOO_MUCH_CODES.has(Number(answer.error.code)) && TOO_MUCH_WORDS.test(message)) {
      throw new AnswerTooLong(`${name}: ${method}: ${message}`);
    }
    const { code } = answer.error;
    throw new RpcRefusal(`${name}: ${method}: ${message}`, Number(code));
  }
  if (isRefusalOnly || !("result" in answer)) {
    throw new EndpointFault(name, `no answer to ${method}`);
  }
  return answer.result;
}

/** The driver's messages name host and port at most, never the path with a key. */
const wordsOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code ?? message).slice(0, 100);
};
