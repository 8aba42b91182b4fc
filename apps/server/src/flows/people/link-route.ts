import type { Operator } from "../../domain/operators/operator.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** How the link of an invitation reaches the person. By mail, only the mail contains it. */
export type LinkRoute = "mail" | "hand";

export interface RouteRequest {
  /** By hand when undefined. */
  readonly linkBy?: LinkRoute | undefined;
  /** The account that the link is for. Absent before it exists. */
  readonly personId?: string;
  readonly by: Operator;
}

const DAY_MS = 86_400_000;
/** Invitations that one person has mailed in a day. */
const MAILED_BY_PERSON_MAX = 50;
/** Links that are mailed to one account in a day. */
export const MAILED_TO_PERSON_MAX = 5;

/**
 * Returns how the link reaches the person. Refuses PROVIDER_UNAVAILABLE without a mail server, and RATE_LIMITED, so
 * that nobody floods a mailbox through the console.
 */
export async function requireRoute(
  { offersMail, rateCounters }: Pick<Deps, "offersMail" | "rateCounters">,
  command: RouteRequest,
): Promise<LinkRoute> {
  if (command.linkBy !== "mail") return "hand";
  if (!offersMail) {
    throw new Refusal("PROVIDER_UNAVAILABLE", {
      message: "This service does not send mail. Hand the link over instead.",
    });
  }
  const { personId, by } = command;
  const one = { amount: 1, windowMs: DAY_MS };
  const [ofPerson, toPerson] = await rateCounters.add([
    { ...one, limit: "invitations_of_person", key: by.account },
    ...(personId === undefined ? [] : [{ ...one, limit: "invitations_to_person", key: personId }]),
  ]);
  const isAllowed =
    (ofPerson?.count ?? 0) <= MAILED_BY_PERSON_MAX &&
    (toPerson?.count ?? 0) <= MAILED_TO_PERSON_MAX;
  if (isAllowed) return "mail";
  throw new Refusal("RATE_LIMITED", {
    message: "Too many invitations were mailed today. Hand the link over instead.",
  });
}
