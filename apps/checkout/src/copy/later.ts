import orders from "../../locales/en/orders.json";
import steps from "../../locales/en/steps.json";
import type { FirstMessages } from "./messages/first.ts";
import type { OrdersMessages } from "./messages/orders.ts";
import type { StepsMessages } from "./messages/steps.ts";
import type { Say } from "./say.ts";
import { addEnglish, isKnown, say } from "./speech.ts";

addEnglish({ ...steps, ...orders });

type Messages = FirstMessages & StepsMessages & OrdersMessages;
/** Messages without placeholders. */
type Plain = {
  [Key in keyof Messages]: [Messages[Key]] extends [never] ? Key : never;
}[keyof Messages];

/** Texts of every screen; only screens after the first may say these. */
export const t: Say<Messages> = say;

/** The text for a word of the service's, or another where it has a word that is new to us. */
export const tOr = (key: string, other: Plain): string => say(isKnown(key) ? key : other);

/** The text for a word of the service's, where there is one. */
export const tIfKnown = (key: string): string | undefined => (isKnown(key) ? say(key) : undefined);

/** A name the service gives in English, in the language spoken; one we do not know stays as it is. */
export const named = (name: string): string => say(name);
