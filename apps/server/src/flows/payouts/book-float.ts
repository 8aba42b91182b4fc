import { type Decimal, type Money, money } from "@exchange/money";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import { type FloatMovement, floatEntry } from "../../domain/ledger/house-entries.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { type MovedAsset, takeUnbooked } from "../../storage/chains/unbooked.ts";
import { bookHouseEntry, isBooked, isInBooks } from "../../storage/ledger/house.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireCoin, requireUnits } from "../requirements.ts";

export interface BookFloat {
  /** The reference of one coin on one network. */
  readonly currency: string;
  /** In whole coins. */
  readonly amount: Decimal;
  readonly direction: FloatMovement["direction"];
  /** The hash of the transaction, and the number of its output after a colon where it has several. */
  readonly transaction: string;
  readonly by: Operator;
}

const TRANSACTION = /^[0-9A-Za-z]{16,128}(:[0-9]{1,6})?$/;

/**
 * Books coins that the operator moved into our wallet, or out of it, as capital of the house. Each asset of a transaction
 * is booked once. Refuses NOT_FOUND, INVALID_INPUT and AMOUNT_PRECISION.
 */
export async function bookFloat(
  deps: Pick<Deps, "database" | "catalogue" | "environment">,
  command: BookFloat,
): Promise<void> {
  const operator = requireOperator(deps, command.by);
  const { direction, transaction: name } = command;
  const { networkCode, reference, amount } = coinsOf(deps, command);
  if (!TRANSACTION.test(name)) {
    throw new Refusal("INVALID_INPUT", {
      message: `"${name}" is not a transaction. Give its hash, with :NUMBER for one of several outputs.`,
    });
  }
  const [hash = ""] = name.split(":");
  const moved = { networkCode, hash, assetId: amount.asset.id };
  const float = { networkCode, amount, direction };
  const bookedBefore = new Refusal("INVALID_INPUT", {
    message: `${name} on ${networkCode} was booked before.`,
  });
  await deps.database.transaction(async (tx) => {
    const isAudited = await takeMoved(tx, moved, float);
    // Earlier releases booked a transaction without its asset. Of an audited network the movements say what is booked.
    if (!isAudited && (await isInBooks(tx, floatEntry({ ...float, name })))) throw bookedBefore;
    const entry = floatEntry({ ...float, name: `${name}:${reference}` });
    await bookHouseEntry(tx, entry).catch((error: unknown) => {
      throw isBooked(error) ? bookedBefore : error;
    });
    await logControl(tx, {
      operator,
      action: "book_float",
      subject: `${networkCode} ${name}`,
      before: null,
      after: {
        currency: command.currency,
        amount: unitsText(amount.asset, amount.units),
        direction,
      },
    });
  });
}

/**
 * Takes a movement that is to be booked, and refuses one that the service books itself. On a network whose wallets it
 * reads, it books refills. There an operator books only the exact amount that a transaction moved and that is not booked
 * yet. Returns whether it is such a network.
 */
async function takeMoved(
  tx: Tx,
  moved: MovedAsset,
  { amount, direction }: { readonly amount: Money; readonly direction: FloatMovement["direction"] },
): Promise<boolean> {
  const { isAudited, isUnderWay, units } = await takeUnbooked(tx, moved);
  if (!isAudited) return false;
  const { hash, networkCode } = moved;
  if (isUnderWay) {
    throw new Refusal("INVALID_INPUT", {
      message: `The service signed transaction ${hash} on ${networkCode}, and has not booked its end yet. The service does so by itself. If the transaction moved something else than it should, use: exchange payouts resolve`,
    });
  }
  if (units === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: `The books already contain transaction ${hash} on ${networkCode}. The service books coins that reach its wallets by itself, once they are final.`,
    });
  }
  if (units === (direction === "in" ? amount.units : -amount.units)) return true;
  const [side, coins] = units > 0n ? ["to", units] : ["from", -units];
  const text = unitsText(amount.asset, coins);
  throw new Refusal("INVALID_INPUT", {
    message: `Transaction ${hash} on ${networkCode} moved ${text} ${side} our addresses, fees included. Give that amount${units > 0n ? "" : " and --out"}.`,
  });
}

function coinsOf(
  { catalogue }: Pick<Deps, "catalogue">,
  { currency, amount: coins }: BookFloat,
): { readonly networkCode: string; readonly reference: string; readonly amount: Money } {
  const coin = requireCoin(catalogue(), currency);
  if (coins.units <= 0n) {
    throw new Refusal("INVALID_INPUT", {
      message: "The amount must be above zero. Use --out for coins that left the wallet.",
    });
  }
  const { networkCode, reference } = coin;
  return { networkCode, reference, amount: money(coin, requireUnits(coin, coins)) };
}
