import type { Operator } from "../../domain/operators/operator.ts";
import {
  describeCents,
  type LimitBook,
  type LimitKey,
  limitsOf,
  type PayoutLimits,
  setLimitsOf,
} from "../../domain/payouts/limits.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  listPayoutLimits,
  lockReleases,
  putPayoutLimits,
  removePayoutLimits,
} from "../../storage/payouts/controls.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireCurrency } from "../requirements.ts";

export type LimitDeps = Pick<Deps, "database" | "catalogue" | "environment">;

export interface SetPayoutLimits extends LimitKey {
  /** Absent members do not change. Null removes a limit. */
  readonly changes: Partial<PayoutLimits>;
  readonly by: Operator;
  readonly reason?: string;
  /** Refuses a change that raises a limit or removes one. */
  readonly onlyLower?: true;
}

/** The limits that were set, and the built-in ones where nothing was. */
export async function readLimitBook(
  deps: Pick<Deps, "database" | "environment">,
): Promise<LimitBook> {
  return { environment: deps.environment, rows: await listPayoutLimits(deps.database) };
}

/**
 * Changes limits of a key. Limits that the command does not name do not change. From the commit on
 * every payout is released against the new limits. Refuses INVALID_INPUT and NOT_FOUND.
 */
export async function setPayoutLimits(
  deps: LimitDeps,
  command: SetPayoutLimits,
): Promise<PayoutLimits> {
  const by = requireOperator(deps, command.by);
  const key = { kind: command.kind, subject: command.subject };
  if (key.kind === "currency") requireCurrency(deps.catalogue(), key.subject);
  const { changes } = command;
  const forOne = changes.payoutCents ?? changes.approvalAboveCents ?? null;
  if (key.kind === "total" && forOne !== null) {
    throw new Refusal("INVALID_INPUT", {
      message: "The total has limits for an hour and a day only.",
    });
  }
  return deps.database.transaction(async (tx) => {
    await lockReleases(tx);
    const book = { environment: deps.environment, rows: await listPayoutLimits(tx) };
    const now = limitsOf(book, key);
    if (command.onlyLower) requireLower(now, changes);
    const limits = { ...now, ...changes, ...key };
    await putPayoutLimits(tx, limits, by.person);
    const before = setLimitsOf(book, key);
    await log(tx, { by, key, before, after: limits, reason: command.reason });
    return limits;
  });
}

const MEMBERS = ["payoutCents", "hourCents", "dayCents", "approvalAboveCents"] as const;

/** Refuses changes that raise or remove a limit. A limit that stays as it is is accepted. */
function requireLower(now: PayoutLimits, changes: Partial<PayoutLimits>): void {
  const raises = (member: (typeof MEMBERS)[number]): boolean => {
    const [before, after] = [now[member], changes[member]];
    return after !== undefined && before !== null && (after === null || after > before);
  };
  if (Object.keys(changes).length === 0) {
    throw new Refusal("INVALID_INPUT", {
      message: `The request changes no limit. Write at least one of ${MEMBERS.join(", ")}.`,
    });
  }
  const raised = MEMBERS.filter(raises);
  if (raised.length === 0) return;
  const words = raised.map((member) => `${member} is at most ${now[member]}`).join(", ");
  throw new Refusal("INVALID_INPUT", {
    message: `The console only lowers limits: ${words}. Raise or remove a limit by \`exchange payouts limits\`.`,
  });
}

/** Removes a key's own limits. A currency then has the default limits again. Refuses NOT_FOUND. */
export async function unsetPayoutLimits(
  deps: LimitDeps,
  command: LimitKey & { readonly by: Operator },
): Promise<void> {
  const by = requireOperator(deps, command.by);
  const key = { kind: command.kind, subject: command.subject };
  await deps.database.transaction(async (tx) => {
    await lockReleases(tx);
    const book = { environment: deps.environment, rows: await listPayoutLimits(tx) };
    if (!(await removePayoutLimits(tx, key))) {
      throw new Refusal("NOT_FOUND", { message: `${nameOf(key)} has no limits of its own.` });
    }
    await log(tx, { by, key, before: setLimitsOf(book, key), after: undefined });
  });
}

const nameOf = ({ kind, subject }: LimitKey): string => (kind === "currency" ? subject : kind);

interface LimitsChange {
  readonly by: Operator;
  readonly key: LimitKey;
  readonly before: PayoutLimits | undefined;
  readonly after: PayoutLimits | undefined;
  readonly reason?: string | undefined;
}

const log = (tx: Tx, { by, key, before, after, reason }: LimitsChange): Promise<void> =>
  logControl(tx, {
    operator: by,
    action: after ? "set_payout_limits" : "remove_payout_limits",
    subject: nameOf(key),
    before: before ? showLimits(before) : null,
    after: after ? showLimits(after) : null,
    ...(reason !== undefined && { details: { reason } }),
  });

function showLimits(limits: PayoutLimits) {
  const shown = (cents: bigint | null): string | null =>
    cents === null ? null : describeCents(cents);
  return {
    payout: shown(limits.payoutCents),
    hour: shown(limits.hourCents),
    day: shown(limits.dayCents),
    approvalAbove: shown(limits.approvalAboveCents),
  };
}
