// Mines the blocks of a local chain: quickly while something is paid, and rarely otherwise.
import { setTimeout as sleep } from "node:timers/promises";

const BLOCK_MS = 2_000;
/** The longest pause between blocks. */
const IDLE_BLOCK_MS = 300_000;
const LOOK_MS = 250;
const END_MS = 1_000;

/**
 * Mines while it runs. `mine` resolves when the block is on disk. Returns how to stop it, and a promise of the sentence
 * that says why it could not go on.
 */
export function keepMining({ name, hasPending, mine }) {
  let isStopping = false;
  let paidAtMs = performance.now();
  let minedAtMs = paidAtMs;
  const run = async () => {
    while (!isStopping) {
      await sleep(LOOK_MS);
      if (await hasPending()) paidAtMs = performance.now();
      if (isStopping || performance.now() - minedAtMs < pauseAfter(paidAtMs)) continue;
      minedAtMs = performance.now();
      await mine();
    }
    if (await hasPending()) await mine();
  };
  const running = run();
  return {
    failed: running.then(
      () => new Promise(() => {}),
      async (error) => {
        // A node that has ended is the better reason. Its end is reported meanwhile.
        await sleep(END_MS);
        return `the local chain of ${name} could not be continued: ${error.message}`;
      },
    ),
    stop: async () => {
      isStopping = true;
      await running.catch(() => {});
    },
  };
}

/** A tenth of the time without payments: ten blocks at least after each, and few in a chain that is left alone. */
const pauseAfter = (paidAtMs) =>
  Math.min(IDLE_BLOCK_MS, Math.max(BLOCK_MS, (performance.now() - paidAtMs) / 10));
