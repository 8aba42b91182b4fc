import { beforeDeadline } from "../deadline.ts";

/** The started parts, which are stopped in reverse order. */
export interface StopList {
  add(name: string, stop: () => Promise<unknown>): void;
  /** Stops every part, the last one first. A part that fails to stop does not block the others. */
  stopAll(): Promise<void>;
}

/** The longest time that one part may delay the others. */
const STOP_TIMEOUT_MS = 10_000;

export function makeStopList(warn: (message: string) => void): StopList {
  const parts: { readonly name: string; readonly stop: () => Promise<unknown> }[] = [];
  return {
    add: (name, stop) => void parts.push({ name, stop }),
    stopAll: async () => {
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
        const { name, stop } = part;
        const late = (): Error => new Error(`did not stop within ${STOP_TIMEOUT_MS / 1000} s`);
        await beforeDeadline(stop(), STOP_TIMEOUT_MS, late).catch((error: Error) =>
          warn(`${name}: ${error.message}`),
        );
      }
    },
  };
}
