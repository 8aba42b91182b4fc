import type { Preflight } from "../../domain/ports/chain-gateway.ts";

/** The polls before a payment that waits for its wallet or for the network's fees is tried again. */
const POLLS = 5;

/** Returns the subject and the verb of a sentence about the sends under way. */
export const sendsTake = (sends: number): string =>
  sends === 1 ? "1 transaction under way takes" : `${sends} transactions under way take`;

/** Returns the answer for a payment that its wallet cannot make now. `why` is a sentence for the operator. */
export const walletWaits = (why: string, pollMs: number) =>
  ({ state: "wait", why, askAgainMs: pollMs * POLLS }) as const satisfies Preflight;
