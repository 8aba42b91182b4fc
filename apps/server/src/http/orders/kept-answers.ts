import { encodeJson } from "@exchange/contract";
import type { Deps } from "../../flows/deps.ts";
import {
  type OrderKey,
  type OrderView,
  readOrderStamp,
  readStampedOrder,
} from "../../flows/orders/read.ts";
import { ok } from "../wire.ts";
import { presentOrder } from "./present.ts";

/** The body of an order's answer. */
export interface OrderAnswer {
  readonly payload: string;
  readonly byteLength: number;
}

/** Answers reads of one order with what it is now. Refuses NOT_FOUND. */
export type AnswerOrder = (key: OrderKey) => Promise<OrderAnswer>;

/** What is kept at most. The answers that nobody asked for longest go first. */
export interface KeptMost {
  readonly answers: number;
  readonly characters: number;
}

const KEPT_MOST: KeptMost = { answers: 4_000, characters: 8_000_000 };

interface KeptAnswer extends OrderAnswer {
  readonly stamp: string;
  readonly order: Pick<OrderView["order"], "merchantId" | "sessionId">;
}

/**
 * Keeps answers as they were printed. Each read still asks the database for the order's stamp, and an
 * answer is sent again only while it is the stamp that the answer was made with. Beside the order only
 * the catalogue decides what is printed: a new snapshot of it forgets all.
 */
export function makeAnswerOrder(
  deps: Pick<Deps, "database" | "catalogue">,
  most = KEPT_MOST,
): AnswerOrder {
  const kept = makeKeptAnswers(most);
  let catalogue = deps.catalogue();
  const known = (key: OrderKey): KeptAnswer | undefined => {
    if (deps.catalogue() !== catalogue) kept.forget();
    catalogue = deps.catalogue();
    const answer = kept.get(key.orderId);
    return answer && isOf(answer, key) ? answer : undefined;
  };
  const make = async (key: OrderKey): Promise<OrderAnswer> => {
    const before = deps.catalogue();
    const { view, stamp } = await readStampedOrder(deps, key);
    const payload = encodeJson(ok(presentOrder(view, deps.catalogue())));
    const { merchantId, sessionId } = view.order;
    const answer = { payload, byteLength: Buffer.byteLength(payload) };
    // Printed with a newer snapshot than it was read beside, it is right now and not kept.
    if (deps.catalogue() === before) {
      kept.keep(key.orderId, { ...answer, stamp, order: { merchantId, sessionId } });
    }
    return answer;
  };
  return async (key) => {
    const answer = known(key);
    if (answer && (await readOrderStamp(deps, key.orderId)) === answer.stamp) return answer;
    return make(key);
  };
}

const isOf = ({ order }: KeptAnswer, { merchantId, sessionId }: OrderKey): boolean =>
  order.merchantId === merchantId && (sessionId === undefined || order.sessionId === sessionId);

function makeKeptAnswers(most: KeptMost) {
  // A Map keeps the order in which its keys came: who is asked for again comes last again.
  const answers = new Map<bigint, KeptAnswer>();
  let characters = 0;
  const drop = (id: bigint): void => {
    characters -= answers.get(id)?.payload.length ?? 0;
    answers.delete(id);
  };
  return {
    get: (id: bigint): KeptAnswer | undefined => {
      const answer = answers.get(id);
      if (answer) {
        answers.delete(id);
        answers.set(id, answer);
      }
      return answer;
    },
    keep: (id: bigint, answer: KeptAnswer): void => {
      drop(id);
      answers.set(id, answer);
      characters += answer.payload.length;
      for (const oldest of answers.keys()) {
        if (answers.size <= most.answers && characters <= most.characters) break;
        drop(oldest);
      }
    },
    forget: (): void => {
      answers.clear();
      characters = 0;
    },
  };
}
