import { Disagreement, SpanTooLong } from "../../domain/ports/chain-reader.ts";
import type { Endpoint } from "./endpoint.ts";
import { AnswerTooLong, EndpointFault, type Rpc, RpcRefusal } from "./rpc.ts";

export interface Question<T> {
  /** Names the question in messages. */
  readonly what: string;
  readonly ask: (rpc: Rpc) => Promise<T>;
  /** Equal answers have equal keys. Undefined for an endpoint that has nothing to say, as while it is behind. */
  readonly keyOf: (answer: T) => string | undefined;
  /** The operator's own nodes must be among those that agree. */
  readonly needsOwn?: true;
}

export interface Answer<T> {
  readonly endpoint: Endpoint;
  readonly value: T;
}

export interface Quorum {
  /**
   * Returns the answer that enough endpoints agree on, as soon as they do. Each endpoint answers alone: its parts
   * are never mixed with another's. Throws `Disagreement`, or `SpanTooLong` if shorter questions may help.
   */
  agree<T>(question: Question<T>): Promise<T>;
  /** Returns the answers of all endpoints that answer in time: at least enough of them. */
  collect<T>(question: Omit<Question<T>, "keyOf" | "needsOwn">): Promise<readonly Answer<T>[]>;
  close(): Promise<void>;
}

export interface QuorumOptions {
  readonly endpoints: readonly Endpoint[];
  /** The number of endpoints that must agree. */
  readonly quorum: number;
  /** Called for an endpoint whose answer differs from the one that was believed. */
  readonly suspect: (endpoint: string, what: string) => void;
}

/** Once enough endpoints have answered, the others have this time. */
const GRACE_MS = 300;

export function makeQuorum(options: QuorumOptions): Quorum {
  const { endpoints } = options;
  return {
    agree: (question) => agree(options, question),
    collect: (question) => collect(options, question),
    close: async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    },
  };
}

interface Group<T> {
  readonly value: T;
  readonly members: Endpoint[];
}

function agree<T>(options: QuorumOptions, question: Question<T>): Promise<T> {
  const { endpoints, quorum, suspect } = options;
  const { what, ask, keyOf, needsOwn } = question;
  const needed = needsOwn ? endpoints.filter(({ isOwn }) => isOwn) : [];
  const groups = new Map<string, Group<T>>();
  const errors: unknown[] = [];
  let believed: Group<T> | undefined;
  /** Adds an answer to its group. Answers beside the believed ones are suspect, whenever they come. */
  const place = (endpoint: Endpoint, value: T): void => {
    const key = keyOf(value);
    if (key === undefined) return;
    const group = groups.get(key) ?? { value, members: [] };
    groups.set(key, group);
    group.members.push(endpoint);
    if (believed !== undefined) {
      if (group !== believed) suspect(endpoint.name, what);
      return;
    }
    const { members } = group;
    if (members.length < quorum || !needed.every((own) => members.includes(own))) return;
    believed = group;
    const others = [...groups.values()].filter((other) => other !== group);
    for (const { name } of others.flatMap((other) => other.members)) suspect(name, what);
  };
  return new Promise((resolve, reject) => {
    const all = endpoints.map(async (endpoint) => {
      try {
        place(endpoint, await endpoint.ask(ask));
      } catch (error) {
        errors.push(error);
      }
      if (believed !== undefined) resolve(believed.value);
    });
    void Promise.all(all).then(() => {
      if (believed !== undefined) return;
      const found = [...groups.values()].toSorted((a, b) => b.members.length - a.members.length);
      const sizes = found.map(({ members }) => members.length);
      const absent = needed.filter((own) => !found[0]?.members.includes(own));
      reject(failureOf({ what, sizes, errors, quorum, absent: absent.map(({ name }) => name) }));
    });
  });
}

async function collect<T>(
  { endpoints, quorum }: QuorumOptions,
  { what, ask }: Pick<Question<T>, "what" | "ask">,
): Promise<readonly Answer<T>[]> {
  const found: Answer<T>[] = [];
  const errors: unknown[] = [];
  let enough: () => void = () => {};
  const timeIsUp = new Promise<void>((resolve) => {
    enough = () => setTimeout(resolve, GRACE_MS).unref();
  });
  const all = endpoints.map(async (endpoint) => {
    try {
      found.push({ endpoint, value: await endpoint.ask(ask) });
      if (found.length === quorum) enough();
    } catch (error) {
      errors.push(error);
    }
  });
  await Promise.race([Promise.all(all), timeIsUp]);
  if (found.length < quorum) throw failureOf({ what, sizes: [found.length], errors, quorum });
  return [...found];
}

const isOfEndpoint = (error: unknown): boolean =>
  error instanceof EndpointFault || error instanceof RpcRefusal || error instanceof AnswerTooLong;

/** Returns the error of a question without an answer: a fault of ours first, then a span too long, else a disagreement. */
function failureOf(failure: {
  readonly what: string;
  readonly sizes: readonly number[];
  readonly errors: readonly unknown[];
  readonly quorum: number;
  /** The operator's own endpoints that must be among those that agree, and are not. */
  readonly absent?: readonly string[];
}): unknown {
  const { what, sizes, errors, quorum, absent = [] } = failure;
  const ours = errors.find((error) => !isOfEndpoint(error));
  if (ours !== undefined) return ours;
  const tooLong = errors.find((error) => error instanceof AnswerTooLong);
  if (tooLong) return new SpanTooLong(`${what}: ${tooLong.message}`);
  const agreed = sizes.length === 0 ? "none" : sizes.join(" and ");
  const reasons = errors.map((error) => (error as Error).message).join("; ");
  const because = reasons === "" ? "" : `; ${reasons}`;
  const own = absent.map((name) => `"${name}"`).join(" and ");
  const without = own === "" ? "" : `; ${own}, your own, must be among them`;
  return new Disagreement(
    `${what}: ${quorum} endpoints must agree, ${agreed} did${without}${because}`,
  );
}

/** Returns the highest height that at least `count` of the heights reach. */
export const reachedBy = (heights: readonly bigint[], count: number): bigint | undefined =>
  heights.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[count - 1];

export const lowestOf = (heights: readonly bigint[]): bigint =>
  heights.reduce((low, height) => (height < low ? height : low));

/** Of an even number of values the lower middle one. */
export const middleOf = (values: readonly bigint[]): bigint =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[(values.length - 1) >> 1] ?? 0n;
