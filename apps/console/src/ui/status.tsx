import { sayWord, type WordOf } from "../say.ts";

const TONES: Readonly<Partial<Record<WordOf<"status">, string>>> = {
  in_review: "warn",
  completed: "good",
  failed: "danger",
  disabled: "danger",
  active: "good",
  invited: "warn",
  delivered: "good",
  failing: "warn",
  paused: "warn",
  suspended: "warn",
  exhausted: "danger",
  revoked: "danger",
  proposed: "warn",
  in_force: "good",
  rejected: "danger",
  offered: "good",
  stopped: "danger",
};

/** A status as a word. Its colour repeats the word. */
export function Status(props: {
  readonly word: WordOf<"status">;
  readonly reason?: WordOf<"reason"> | null;
}) {
  return (
    <span class={`tag ${TONES[props.word] ?? ""}`}>
      {sayWord("status", props.word)}
      {props.reason && `: ${sayWord("reason", props.reason)}`}
    </span>
  );
}
