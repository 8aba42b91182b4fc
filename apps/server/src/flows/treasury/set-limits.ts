import type { Decimal } from "@exchange/money";
import type { Currency } from "../../domain/catalogue/currency.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import {
  misplacedLimit,
  NO_TREASURY_LIMITS,
  type TreasuryLimits,
} from "../../domain/treasury/limits.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  lockTreasuryLimits,
  putTreasuryLimits,
  removeTreasuryLimits,
} from "../../storage/treasury/limits.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireCoin, requireUnits } from "../requirements.ts";

/** In whole coins. Null removes a limit, and undefined leaves it as it is. */
export interface NewTreasuryLimits {
  readonly floor: Decimal | null | undefined;
  readonly low: Decimal | null | undefined;
  readonly target: Decimal | null | undefined;
  readonly ceiling: Decimal | null | undefined;
}

export interface SetTreasuryLimits {
  /** The reference of one coin on one network. */
  readonly currency: string;
  readonly limits: NewTreasuryLimits;
  readonly by: Operator;
}

/**
 * Sets the float that the operator wants of an asset. Below its floor the asset is not quoted within seconds.
 * Without any limit the row goes, and in the sandbox the stock is unlimited again. Refuses NOT_FOUND,
 * INVALID_INPUT and AMOUNT_PRECISION.
 */
export async function setTreasuryLimits(
  deps: Pick<Deps, "database" | "catalogue" | "environment">,
  command: SetTreasuryLimits,
): Promise<void> {
  const operator = requireOperator(deps, command.by);
  const currency = requireCoin(deps.catalogue(), command.currency);
  const { floor, low, target, ceiling } = command.limits;
  await deps.database.transaction(async (tx) => {
    const before = await lockTreasuryLimits(tx, currency.id);
    const earlier: TreasuryLimits = before ?? NO_TREASURY_LIMITS;
    const after: TreasuryLimits = {
      floorUnits: changed(currency, floor, earlier.floorUnits),
      lowUnits: changed(currency, low, earlier.lowUnits),
      targetUnits: changed(currency, target, earlier.targetUnits),
      ceilingUnits: changed(currency, ceiling, earlier.ceilingUnits),
    };
    requireRising(after);
    const isEmpty = Object.values(after).every((units) => units === null);
    if (isEmpty) await removeTreasuryLimits(tx, currency.id);
    else await putTreasuryLimits(tx, { ...after, assetId: currency.id, setBy: operator.person });
    await logControl(tx, {
      operator,
      action: "set_treasury_limits",
      subject: currency.reference,
      before: before ? showLimits(currency, before) : null,
      after: isEmpty ? null : showLimits(currency, after),
    });
  });
}

function changed(
  currency: Currency,
  coins: Decimal | null | undefined,
  before: bigint | null,
): bigint | null {
  if (coins === undefined) return before;
  if (coins === null) return null;
  if (coins.units < 0n) {
    throw new Refusal("INVALID_INPUT", { message: "A limit cannot be below zero." });
  }
  return requireUnits(currency, coins);
}

function requireRising(limits: TreasuryLimits): void {
  const misplaced = misplacedLimit(limits);
  if (misplaced === undefined) return;
  throw new Refusal("INVALID_INPUT", {
    message: `The ${misplaced.replace("Units", "")} is below a lower limit. Floor, low, target and ceiling must rise in this order.`,
  });
}

const showLimits = (currency: Currency, limits: TreasuryLimits) => {
  const show = (units: bigint | null) => (units === null ? null : unitsText(currency, units));
  return {
    floor: show(limits.floorUnits),
    low: show(limits.lowUnits),
    target: show(limits.targetUnits),
    ceiling: show(limits.ceilingUnits),
  };
};
