import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Says why a world cannot run a case. Some other world must run it. */
export class NotHere {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Verdict = NotHere | undefined;

/** The promises that every adapter of a kind makes, one case for each sentence. */
export type Cases<World> = Readonly<Record<string, (world: World) => Promise<Verdict> | Verdict>>;

/** An adapter with all that it needs to run the cases. */
export interface WorldRow<World> {
  readonly open: () => Promise<World> | World;
  readonly close?: (world: World) => Promise<void>;
  /** The program that is missing on this machine. The world is skipped, and the test script says so. */
  readonly missing?: string | undefined;
}

/** Runs the work once, in the first case that needs it, and returns its result each time. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}

/** Counts the worlds that ran each case. */
export class Tally {
  readonly #runs: Map<string, number>;

  constructor(cases: readonly string[]) {
    this.#runs = new Map(cases.map((name) => [name, 0]));
  }

  /** Counts a run, unless the world said that the case is not for it. */
  count(name: string, verdict: Verdict): void {
    if (verdict === undefined) this.#runs.set(name, (this.#runs.get(name) ?? 0) + 1);
  }

  /** Returns the cases that no world ran. */
  idle(): readonly string[] {
    return [...this.#runs].filter(([, runs]) => runs === 0).map(([name]) => name);
  }
}

/**
 * Runs every case over every world. A case that no world ran is a failure: it would promise what nobody tested. While
 * a world is missing on this machine, only its absence is reported.
 */
export function runConformance<World>(
  cases: Cases<World>,
  worlds: Readonly<Record<string, WorldRow<World>>>,
): void {
  const names = Object.keys(cases);
  const tally = new Tally(names);
  const rows = Object.entries(worlds);
  for (const [name, { open, close, missing }] of rows) {
    describe.skipIf(missing !== undefined)(`${name}`, () => {
      let world: World;
      beforeAll(async () => {
        world = await open();
      });
      afterAll(async () => {
        if (world !== undefined) await close?.(world);
      });
      test.each(names)("%s", async (title) => {
        const verdict = await cases[title]?.(world);
        tally.count(title, verdict);
        if (verdict) expect(verdict.reason).not.toBe("");
      });
    });
  }
  const isWhole = rows.every(([, { missing }]) => missing === undefined);
  test.skipIf(!isWhole)("some world runs every case", () => {
    expect(tally.idle()).toEqual([]);
  });
}
