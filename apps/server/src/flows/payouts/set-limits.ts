import {
  describeCents,
  type LimitBook,
  type LimitKey,
  limitsOf,
  type PayoutLimits,
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
import { requirePerson } from "../merchants/require-person.ts";
import { Refusal } from "../refusal.ts";

export type LimitDeps = Pick<Deps, "database" | "catalogue" | "environment">;

export interface SetPayoutLimits extends LimitKey {
  /** Absent members do not change. Null removes a limit. */
  readonly changes: Partial<PayoutLimits>;
  readonly person: string;
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
  const person = requirePerson(command.person);
  const key = { kind: command.kind, subject: command.subject };
  requireCurrency(deps, key);
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
    const limits = { ...limitsOf(book, key), ...changes, ...key };
    await putPayoutLimits(tx, limits, person);
    await log(tx, { person, key, limits });
    return limits;
  });
}

/** Removes a key's own limits. A currency then has the default limits again. Refuses NOT_FOUND. */
export async function unsetPayoutLimits(
  deps: LimitDeps,
  command: LimitKey & { readonly person: string },
): Promise<void> {
  const person = requirePerson(command.person);
  const key = { kind: command.kind, subject: command.subject };
  await deps.database.transaction(async (tx) => {
    if (!(await removePayoutLimits(tx, key))) {
      throw new Refusal("NOT_FOUND", { message: `${nameOf(key)} has no limits of its own.` });
    }
    await log(tx, { person, key, limits: undefined });
  });
}

function requireCurrency(deps: LimitDeps, { kind, subject }: LimitKey): void {
  if (kind !== "currency") return;
  const known = deps.catalogue().currencies.some(({ reference }) => reference === subject);
  if (known) return;
  throw new Refusal("NOT_FOUND", {
    message: `There is no currency "${subject}": name its reference, such as btc or usdt-tron.`,
  });
}

const nameOf = ({ kind, subject }: LimitKey): string => (kind === "currency" ? subject : kind);

async function log(
  tx: Tx,
  change: {
    readonly person: string;
    readonly key: LimitKey;
    readonly limits: PayoutLimits | undefined;
  },
): Promise<void> {
  const { person, key, limits } = change;
  const shown = (cents: bigint | null): string | null =>
    cents === null ? null : describeCents(cents);
  await logControl(tx, {
    person,
    action: limits ? "set_payout_limits" : "remove_payout_limits",
    subject: nameOf(key),
    details: limits
      ? {
          payout: shown(limits.payoutCents),
          hour: shown(limits.hourCents),
          day: shown(limits.dayCents),
          approvalAbove: shown(limits.approvalAboveCents),
        }
      : {},
  });
}
