import type { Screener, ScreeningRequest, ScreeningSubject } from "../../domain/ports/screener.ts";
import { behaviourOf } from "../chains/magic-addresses.ts";

/** The last name of the customers on the sandbox's sanctions list. */
export const SANCTIONED_LAST_NAME = "Sanctioned";

/** The memo that is on the list with every address. */
export const SANCTIONED_MEMO = "90909";

/** Hits only the documented names, memo and addresses. */
export function sandboxScreener(): Screener {
  return {
    name: "sandbox",
    screen: async ({ before, subjects }) => subjects.filter((each) => isListed(each, before)),
  };
}

function isListed(subject: ScreeningSubject, before: ScreeningRequest["before"]): boolean {
  switch (subject.kind) {
    case "customer":
      return isListedName(subject.lastName ?? "");
    case "beneficiary":
      return isListedName(subject.name.trim().split(/\s+/).at(-1) ?? "");
    case "address": {
      const behaviour = behaviourOf(subject.address);
      const isTainted =
        behaviour === "sanctioned" || (behaviour === "sanctioned_later" && before !== "payment");
      return isTainted || subject.memo === SANCTIONED_MEMO;
    }
  }
}

const isListedName = (name: string): boolean =>
  name.trim().toLowerCase() === SANCTIONED_LAST_NAME.toLowerCase();
