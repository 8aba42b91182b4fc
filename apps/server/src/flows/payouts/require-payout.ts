import { findOperatorPayout, type OperatorPayout } from "../../storage/payouts/operator-payouts.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a payout's id. */
export const isPayoutId = (text: string): boolean => UUID.test(text);

/** Reads a payout for an operator. Refuses NOT_FOUND. */
export async function requirePayout(
  deps: Pick<Deps, "database">,
  id: string,
): Promise<OperatorPayout> {
  const payout = isPayoutId(id) ? await findOperatorPayout(deps.database, id) : undefined;
  if (payout) return payout;
  throw new Refusal("NOT_FOUND", { message: `There is no payout ${id}.` });
}
