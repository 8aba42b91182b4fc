import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";

export interface NoteOrder {
  readonly orderId: bigint;
  readonly note: string;
  readonly by: Operator;
}

const NOTE_LENGTH_MAX = 2_000;

/** Every control character but the tab and the line end. A terminal would obey some of them. */
const CONTROL = /[^\P{Cc}\t\n]/u;

/**
 * Writes a person's note on an order into the log of changes, where it stays as it is
 * (docs/decisions/0103-keep-notes-in-the-log-of-changes.md). The caller has checked that the person may see the order.
 * Refuses INVALID_INPUT.
 */
export async function noteOrder(
  deps: Pick<Deps, "database" | "environment">,
  { orderId, note, by }: NoteOrder,
): Promise<void> {
  const operator = requireOperator(deps, by);
  const text = note.replaceAll("\r\n", "\n").trim();
  if (text === "" || text.length > NOTE_LENGTH_MAX || CONTROL.test(text)) {
    throw new Refusal("INVALID_INPUT", {
      message: `A note has 1 to ${NOTE_LENGTH_MAX} characters of text, tabs and line ends.`,
    });
  }
  await logControl(deps.database, {
    operator,
    action: "note_order",
    subject: String(orderId),
    details: { note: text },
    before: null,
    after: null,
  });
}
