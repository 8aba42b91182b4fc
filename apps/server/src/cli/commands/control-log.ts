import { type LoggedControlChange, listControlChanges } from "../../storage/audit/control-log.ts";
import type { Command } from "../command.ts";
import { LIMIT, limitOf } from "../operator-options.ts";
import { listing } from "../table.ts";
import { withFlows } from "../with-flows.ts";

type ShownChange = Omit<LoggedControlChange, "at">;

/** "anna as root, by sudo from ben", or the name alone where it is the user's. */
function describeAuthor({ person, systemUser, sudoUser }: ShownChange): string {
  const user = systemUser === null || systemUser === person ? "" : ` as ${systemUser}`;
  return `${person}${user}${sudoUser === null ? "" : `, by sudo from ${sudoUser}`}`;
}

/** Lists the words of the change, and each member whose value before and after differs. */
function describeChange({ details, before, after }: ShownChange): string {
  const words = Object.entries(details).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${value}`],
  );
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  for (const name of names) {
    const [old, now] = [showValue(before?.[name]), showValue(after?.[name])];
    if (old !== now) words.push(`${name} ${old} → ${now}`);
  }
  return words.join(", ");
}

function showValue(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const payoutsLog: Command = {
  name: "payouts log",
  summary:
    "Show the log of operators' actions: payouts, limits, orders, merchants, keys, webhooks.",
  options: {
    subject: {
      value: "ID",
      description: "Only changes of this order, payout, merchant, key, endpoint or limit.",
    },
    limit: LIMIT,
  },
  example: "payouts log --limit 50",
  run: (context, input) => {
    const limit = limitOf(input);
    return withFlows(context, async ({ database }) => {
      const changes = await listControlChanges(database, { limit, subject: input.one("subject") });
      const shown = changes.map((change) => ({ ...change, at: change.at.toISOString() }));
      const rows = shown.map((change) => [
        change.at,
        describeAuthor(change),
        change.action,
        change.subject,
        describeChange(change),
      ]);
      return {
        json: shown,
        text: listing(
          ["AT", "BY", "DID", "WHAT", "CHANGES"],
          rows,
          "No operator has done anything yet.",
        ),
      };
    });
  },
};
