import type { Decimal } from "@exchange/money";
import type { Currency } from "../../domain/catalogue/currency.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  lockLiquidityLimit,
  putLiquidityLimit,
  removeLiquidityLimit,
} from "../../storage/payouts/liquidity.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireCurrency, requireUnits } from "../requirements.ts";

export interface SetLiquidityLimit {
  /** The reference of one coin on one network, or of a fiat currency. */
  readonly currency: string;
  /** In whole coins. Null removes the limit. */
  readonly debt: Decimal | null;
  readonly by: Operator;
}

/**
 * Sets the largest debt of our own position in an asset. Orders beyond it are held, and quotes
 * refused within seconds. Refuses NOT_FOUND, INVALID_INPUT and AMOUNT_PRECISION.
 */
export async function setLiquidityLimit(
  deps: Pick<Deps, "database" | "catalogue" | "environment">,
  command: SetLiquidityLimit,
): Promise<void> {
  const operator = requireOperator(deps, command.by);
  const currency = requireCurrency(deps.catalogue(), command.currency);
  const debtUnits = command.debt && unitsOfDebt(currency, command.debt);
  await deps.database.transaction(async (tx) => {
    const before = await lockLiquidityLimit(tx, currency.id);
    if (debtUnits !== null) {
      await putLiquidityLimit(tx, { assetId: currency.id, debtUnits, setBy: operator.person });
    } else if (!(await removeLiquidityLimit(tx, currency.id))) {
      throw new Refusal("NOT_FOUND", { message: `${currency.reference} has no liquidity limit.` });
    }
    await logControl(tx, {
      operator,
      action: debtUnits === null ? "remove_liquidity_limit" : "set_liquidity_limit",
      subject: currency.reference,
      before: before ? showDebt(currency, before.debtUnits) : null,
      after: debtUnits === null ? null : showDebt(currency, debtUnits),
    });
  });
}

const showDebt = (currency: Currency, units: bigint) => ({
  debt: unitsText(currency, units),
});

function unitsOfDebt(currency: Currency, debt: Decimal): bigint {
  if (debt.units < 0n) {
    throw new Refusal("INVALID_INPUT", { message: "A limit cannot be below zero." });
  }
  return requireUnits(currency, debt);
}
