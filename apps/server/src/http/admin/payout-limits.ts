import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type AdminPayoutLimits } from "@exchange/contract/admin";
import { type LimitUse, listLimitUse } from "../../flows/payouts/limit-use.ts";
import { setPayoutLimits } from "../../flows/payouts/set-limits.ts";
import { list } from "../wire.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** The limits of payouts. They are lowered here, and raised at the command line only. */
export function registerPayoutLimits(register: RegisterAdmin, deps: AdminDeps): void {
  const limits = async () => list((await listLimitUse(deps)).map(presentLimits), undefined);
  register(ADMIN_ENDPOINTS.listPayoutLimits, limits);
  register(ADMIN_ENDPOINTS.lowerPayoutLimits, async ({ caller, body }) => {
    const { kind, currency = "", reason, ...cents } = body;
    const changes = Object.fromEntries(
      Object.entries(cents).map(([member, value]) => [member, BigInt(value)]),
    );
    const subject = kind === "currency" ? currency : "";
    await setPayoutLimits(deps, {
      ...{ kind, subject, changes, reason },
      ...{ by: caller.by, onlyLower: true },
    });
    return limits();
  });
}

const centsOrNull = (cents: bigint | null): number | null =>
  cents === null ? null : Number(cents);

/**
 * Returns the limits of a key and the use of the last hour and day, in euro cents. A limit that is not set is null. So is
 * the use of the default, because its currencies are counted one by one.
 */
const presentLimits = ({ key, limits, isSet, out }: LimitUse): Outgoing<AdminPayoutLimits> => ({
  kind: key.kind,
  currency: key.kind === "currency" ? key.subject : null,
  isSet,
  payoutCents: centsOrNull(limits.payoutCents),
  hourCents: centsOrNull(limits.hourCents),
  dayCents: centsOrNull(limits.dayCents),
  approvalAboveCents: centsOrNull(limits.approvalAboveCents),
  releasedHourCents: centsOrNull(out?.hourCents ?? null),
  releasedDayCents: centsOrNull(out?.dayCents ?? null),
});
