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
        await withTimeout(stop()).catch((error: Error) => warn(`${name}: ${error.message}`));
      }
    },
  };
}

async function withTimeout(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const message = `did not stop within ${STOP_TIMEOUT_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), STOP_TIMEOUT_MS);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
