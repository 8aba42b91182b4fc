import { LRUCache } from "lru-cache";
import { callerNetwork } from "../../domain/merchants/networks.ts";
import { type KeyUse, recordKeyUses } from "../../storage/merchants/key-addresses.ts";
import type { Deps } from "../deps.ts";

/** The uses of API keys in this process. */
export interface KeyUses {
  /** Notes a use in memory. Nothing is written, so it may be called for each request. */
  note(keyId: string, address: string): void;
  /** Writes the noted uses in one statement, and reports addresses that a key was never used from. */
  flush(): Promise<void>;
}

/** A use is written at most once in this time for each key and address. */
const NOTED_MS = 60_000;
const NOTED_MAX = 10_000;
/** Uses beyond it are left out until the next flush. */
const PENDING_MAX = 1_000;

export function makeKeyUses(
  deps: Pick<Deps, "database" | "log">,
  onNewAddress: (use: KeyUse) => void,
): KeyUses {
  const noted = new LRUCache<string, true>({ max: NOTED_MAX, ttl: NOTED_MS });
  const pending = new Map<string, KeyUse>();
  return {
    note(keyId, address) {
      const name = `${keyId} ${address}`;
      if (noted.has(name) || pending.size >= PENDING_MAX) return;
      noted.set(name, true);
      const use = { keyId, address: callerNetwork(address) };
      pending.set(`${keyId} ${use.address}`, use);
    },
    async flush() {
      if (pending.size === 0) return;
      const uses = [...pending.values()];
      pending.clear();
      try {
        for (const use of await recordKeyUses(deps.database, uses)) onNewAddress(use);
      } catch (error) {
        deps.log.warn({ err: error }, "uses of API keys were not recorded");
      }
    },
  };
}
