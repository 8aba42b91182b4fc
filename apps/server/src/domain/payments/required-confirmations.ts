import { powerOfTen } from "@exchange/money";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Network } from "../catalogue/network.ts";
import { euroCentsOf } from "../payouts/limits.ts";
import type { Deposit } from "./deposit.ts";
import type { PaymentInstruction } from "./payment-instruction.ts";

/** The coins of one order: what was asked for, and what was seen at its address. */
export interface OrderCoins {
  readonly instruction: Pick<PaymentInstruction, "networkCode" | "assetId" | "units">;
  readonly deposits: readonly Pick<
    Deposit,
    "assetId" | "units" | "state" | "confirmationsRequired"
  >[];
}

/**
 * Returns the confirmations that make an order's deposits final; undefined where no chain is asked. The order's
 * amount or the sum of all coins at its address decides, whichever is larger. Many small deposits therefore need the
 * number of a large one. A number that was decided before is never lowered.
 */
export function requiredConfirmations(
  catalogue: Catalogue,
  { instruction, deposits }: OrderCoins,
): number | undefined {
  const { networkCode } = instruction;
  if (networkCode === null) return undefined;
  const network = catalogue.network(networkCode);
  if (!network) return undefined;
  const centsOf = ({ assetId, units }: Pick<Deposit, "assetId" | "units">): bigint =>
    euroCentsOf({ asset: catalogue.requireCurrency(assetId), units });
  const present = deposits.filter(({ state }) => state !== "lost");
  const seen = present.reduce((sum, deposit) => sum + centsOf(deposit), 0n);
  const ordered = centsOf(instruction);
  const decided = present.map(({ confirmationsRequired }) => confirmationsRequired ?? 0);
  return Math.max(confirmationsAt(network, seen > ordered ? seen : ordered), ...decided);
}

/** The number for the amount itself belongs to the smaller ones. */
function confirmationsAt({ confirmations, large }: Network, cents: bigint): number {
  if (large === null) return confirmations;
  const { units, scale } = large.aboveEuro;
  const isLarge = cents * powerOfTen(scale) > units * 100n;
  return isLarge ? Math.max(large.confirmations, confirmations) : confirmations;
}
