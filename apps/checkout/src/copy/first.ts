import type { FirstMessages } from "./messages/first.ts";
import type { Say } from "./say.ts";
import { say } from "./speech.ts";

/** Texts of the first screen and of the frame around every screen. */
export const t: Say<FirstMessages> = say;
