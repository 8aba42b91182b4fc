import fc from "fast-check";
import { isChosen, progress, ran, replayLine, roundsOf, SEED } from "../campaign.ts";

/** A command as fast-check runs it: against the small model and against the real thing. */
export type Command<Model extends object, Real> = fc.AsyncCommand<Model, Real>;

export interface Sequences<Model extends object, Real> {
  readonly name: string;
  readonly amount: { readonly test: number; readonly campaign: number };
  readonly commands: readonly fc.Arbitrary<Command<Model, Real>>[];
  /** A fresh scene for each sequence. */
  readonly setUp: () => Promise<{ readonly model: Model; readonly real: Real }>;
  /** Checks that hold after each sequence. */
  readonly check?: (scene: { readonly model: Model; readonly real: Real }) => Promise<void>;
  readonly commandsMax?: number;
}

/** Runs random sequences of commands; a failure is shrunk and says how to run it again. */
export async function runSequences<Model extends object, Real>(
  sequences: Sequences<Model, Real>,
): Promise<void> {
  const { name, commandsMax = 12 } = sequences;
  if (!isChosen(name)) return;
  const numRuns = roundsOf(sequences.amount);
  let done = 0;
  const property = fc.asyncProperty(
    fc.commands([...sequences.commands], { maxCommands: commandsMax, size: "max" }),
    async (commands) => {
      const scene = await sequences.setUp();
      await fc.asyncModelRun(() => scene, commands);
      await sequences.check?.(scene);
      done += 1;
      if (done % 1_000 === 0) progress(`${name}: ${done} of ${numRuns} sequences`);
    },
  );
  const details = await fc.check(property, { numRuns, seed: SEED });
  if (details.failed) {
    const report = await fc.asyncDefaultReportMessage(details);
    throw new Error(`${report}\n${replayLine("models", name)} --rounds ${numRuns}`);
  }
  ran(numRuns, `sequences of ${name}`);
}
