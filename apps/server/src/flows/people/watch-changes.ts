import {
  CHANGE_TOPICS,
  type ChangeTopic,
  isRoleName,
  permissionsOf,
  TOPIC_READERS,
} from "@exchange/contract/admin";
import { readMovedMerchants, readTopicStamps } from "../../storage/audit/changes.ts";
import { findOpenSessions } from "../../storage/people/sessions.ts";
import type { Deps } from "../deps.ts";

/** A topic is named at most once in this time. */
const LOOK_MS = 1_000;
/** A proxy may close a connection that is silent for longer. */
const QUIET_MS = 15_000;

/** A person in a session. */
export interface Follower {
  readonly sessionId: string;
  readonly merchantId: string | null;
}

export interface ChangeWatch {
  /**
   * Names the topics that changed, first all of the person's. Names none after a silence, and ends with the session
   * or the signal.
   */
  follow(follower: Follower, signal: AbortSignal): AsyncGenerator<readonly ChangeTopic[]>;
}

interface Following extends Follower {
  readonly topics: Set<ChangeTopic>;
  hasBegun: boolean;
  isEnded: boolean;
  wake(): void;
}

/** The state that the next look is compared with. */
interface Look {
  readonly snapshot: string;
  readonly stamps: ReadonlyMap<string, string>;
}

const placeOf = (topic: ChangeTopic, merchantId: string | null): string =>
  `${topic} ${merchantId ?? ""}`;

/**
 * Looks for changes once a second for all people who follow, with three statements. Without followers it does not
 * look (docs/decisions/0106-tell-consoles-of-changes.md).
 */
export function makeChangeWatch(deps: Pick<Deps, "database" | "log">): ChangeWatch {
  const { database, log } = deps;
  const following = new Set<Following>();
  const changes = makeComparison(database);
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const people = [...following];
    try {
      const sessionIds = people.map(({ sessionId }) => sessionId);
      const sessions = await findOpenSessions(database, sessionIds);
      const merchantIds = new Set(people.flatMap(({ merchantId }) => merchantId ?? []));
      const hasChanged = await changes.look([...merchantIds]);
      for (const one of people) {
        const roles = sessions.get(one.sessionId);
        one.isEnded = roles === undefined;
        for (const topic of topicsOf(one, roles ?? [])) {
          if (!one.hasBegun || hasChanged(topic, one.merchantId)) one.topics.add(topic);
        }
        one.hasBegun = true;
        if (one.isEnded || one.topics.size > 0) one.wake();
      }
    } catch (error) {
      // The next look that works names every topic.
      changes.forget();
      log.warn({ err: error }, "changes cannot be watched");
    }
    timer = undefined;
    lookLater(LOOK_MS);
  };
  const lookLater = (ms: number): void => {
    if (following.size === 0) changes.forget();
    else timer ??= setTimeout(() => void look(), ms);
  };

  return {
    async *follow(follower, signal) {
      const begun = { hasBegun: false, isEnded: false, wake: () => {} };
      const one: Following = { ...follower, ...begun, topics: new Set() };
      following.add(one);
      lookLater(0);
      try {
        while (!signal.aborted) {
          if (one.topics.size === 0 && !one.isEnded) await untilWoken(one, signal);
          if (one.isEnded || signal.aborted) return;
          const topics = [...one.topics];
          one.topics.clear();
          yield topics;
        }
      } finally {
        following.delete(one);
      }
    },
  };
}

/** Compares the state of all topics with that of the look before. */
function makeComparison(database: Deps["database"]) {
  let before: Look | undefined;
  return {
    forget: () => {
      before = undefined;
    },
    /** Returns whether a topic changed for a person of the merchant, or of the operator. */
    look: async (merchantIds: readonly string[]) => {
      const moved = await readMovedMerchants(database, before?.snapshot ?? null);
      const read = await readTopicStamps(database, merchantIds);
      const stamps = new Map(
        read.map(({ topic, merchantId, stamp }) => [placeOf(topic, merchantId), stamp]),
      );
      const earlier = before;
      before = { snapshot: moved.snapshot, stamps };
      return (topic: ChangeTopic, merchantId: string | null): boolean => {
        const place = placeOf(topic, merchantId);
        if (earlier === undefined || stamps.get(place) !== earlier.stamps.get(place)) return true;
        if (topic !== "orders") return false;
        return merchantId === null
          ? moved.merchantIds.length > 0
          : moved.merchantIds.includes(merchantId);
      };
    },
  };
}

/** Returns the topics that a person with these roles may hear of. */
function topicsOf({ merchantId }: Follower, roles: readonly string[]): readonly ChangeTopic[] {
  const permissions = permissionsOf(roles.filter(isRoleName));
  return CHANGE_TOPICS.filter((topic) => {
    const { permission, kind } = TOPIC_READERS[topic];
    const isOfKind = kind === undefined || (merchantId === null) === (kind === "operator");
    return isOfKind && permissions.includes(permission);
  });
}

function untilWoken(one: Following, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const quiet = setTimeout(() => one.wake(), QUIET_MS);
    one.wake = () => {
      clearTimeout(quiet);
      signal.removeEventListener("abort", one.wake);
      resolve();
    };
    signal.addEventListener("abort", one.wake);
  });
}
