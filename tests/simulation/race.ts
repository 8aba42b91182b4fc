import { setTimeout as sleep } from "node:timers/promises";
import { isChosen, progress, ran, replayLine, roundsOf, SEED, seededNumbers } from "./campaign.ts";

const ROUNDS = { test: 20, campaign: 200 } as const;
/** Half of the contenders start a little later, so that both orders of two commits happen. */
const STAGGER_MS = 6;

/** One round of a race, with its own seeded numbers. */
export interface Round {
  readonly number: number;
  readonly random: () => number;
}

type Contender<T> = () => Promise<T>;

/** Starts all contenders together behind one barrier, each after a seeded moment of its own. */
export async function race<T>(
  round: Round,
  contenders: readonly Contender<T>[],
): Promise<PromiseSettledResult<T>[]> {
  let open: () => void = () => {};
  const barrier = new Promise<void>((resolve) => {
    open = resolve;
  });
  const running = contenders.map(async (contender) => {
    const staggerMs = round.random() < 0.5 ? 0 : round.random() * STAGGER_MS;
    await barrier;
    if (staggerMs > 0) await sleep(staggerMs);
    return contender();
  });
  open();
  return Promise.allSettled(running);
}

export const winnersOf = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));

export const losersOf = <T>(results: readonly PromiseSettledResult<T>[]): unknown[] =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));

/** Repeats a race. A failure has the command that runs its round again. */
export async function rounds(name: string, play: (round: Round) => Promise<void>): Promise<void> {
  if (!isChosen(name)) return;
  const total = roundsOf(ROUNDS);
  for (let number = 0; number < total; number++) {
    const seed = SEED + number;
    try {
      await play({ number, random: seededNumbers(seed) });
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new Error(
        `round ${number + 1} of ${total}: ${reason}\n${replayLine("races", name, seed)} --rounds 1`,
        { cause: error },
      );
    }
    if ((number + 1) % 50 === 0) progress(`${name}: ${number + 1} of ${total}`);
  }
  ran(total, `rounds of ${name}`);
}
