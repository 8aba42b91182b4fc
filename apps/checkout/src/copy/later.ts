import orders from "../../locales/en/orders.json";
import steps from "../../locales/en/steps.json";
import type { FirstMessages } from "./messages/first.ts";
import type { OrdersMessages } from "./messages/orders.ts";
import type { StepsMessages } from "./messages/steps.ts";
import type { Say } from "./say.ts";
import { addEnglish, hasMessage, say } from "./speech.ts";

addEnglish({ ...steps, ...orders });

type Messages = FirstMessages & StepsMessages & OrdersMessages;
/** Messages without placeholders. */
type Plain = {
  [Key in keyof Messages]: [Messages[Key]] extends [never] ? Key : never;
}[keyof Messages];

/** Prints texts of every screen. Only screens after the first may import it: it brings their texts along. */
export const t: Say<Messages> = say;

/** Returns the text for a value of the service, or `other` for a value that a later service added. */
export const tOr = (key: string, other: Plain): string => say(hasMessage(key) ? key : other);

/** Returns the text for a value of the service, if there is one. */
export const tIfKnown = (key: string): string | undefined =>
  hasMessage(key) ? say(key) : undefined;

/** Translates a name that the service sends in English. A name without a translation stays as it is. */
export const named = (name: string): string => say(name);
