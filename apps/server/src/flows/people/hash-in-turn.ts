import { makeTurns } from "../in-turn.ts";

/**
 * Hashes one password after another. Each takes 12 MiB and a good part of a second. Anybody may send passwords to
 * check, so without a bound strangers could use up the memory and the processor of a process that also pays.
 */
export const hashInTurn = makeTurns({
  turnsMax: 8,
  message:
    "Too many people are signing in with a password. Try again in a few seconds, or use a passkey.",
});
