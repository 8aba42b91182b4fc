/**
 * The state of one step. `next`: a person must do something. `waiting`: the service or the chain is at work. `blocked`:
 * something is wrong. `later`: an earlier step comes first. `skipped`: there is nothing to check.
 */
export type StepState = "done" | "next" | "waiting" | "blocked" | "later" | "skipped";

export interface Outcome {
  readonly state: StepState;
  readonly found: string;
  /** Sentences and commands for the person, one a line. */
  readonly todo?: readonly string[];
}

export interface Step extends Outcome {
  readonly step: string;
  readonly title: string;
}

export const done = (found: string): Outcome => ({ state: "done", found });
export const skipped = (found: string): Outcome => ({ state: "skipped", found });
export const later: Outcome = { state: "later", found: "an earlier step comes first" };
export const waiting = (found: string, ...todo: readonly string[]): Outcome => ({
  state: "waiting",
  found,
  todo,
});
export const next = (found: string, ...todo: readonly string[]): Outcome => ({
  state: "next",
  found,
  todo,
});
export const blocked = (found: string, ...todo: readonly string[]): Outcome => ({
  state: "blocked",
  found,
  todo,
});

/** Only the first step that is not done says what to do, so that nobody does two things at once. */
export function inTurn(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex(({ state }) => !isPassed(state));
  return steps.map((step, at) =>
    first === -1 || at <= first || isPassed(step.state)
      ? step
      : { step: step.step, title: step.title, ...later },
  );
}

export const isPassed = (state: StepState): boolean => state === "done" || state === "skipped";
