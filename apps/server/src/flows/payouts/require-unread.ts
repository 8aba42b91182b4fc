import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { isRead } from "../../storage/payouts/mismatches.ts";
import type { Queryable } from "../../storage/postgres/database.ts";

/**
 * Throws if a transaction that the endpoints do not find is in a final block. A node that lost its old blocks does not find
 * it either, and the scanner has read every block.
 */
export async function requireUnread(
  queryable: Queryable,
  signed: readonly SignedTransaction[],
): Promise<void> {
  for (const { networkCode, transactionHash: hash } of signed) {
    if (!(await isRead(queryable, { networkCode, hash }))) continue;
    throw new Error(
      `the endpoints of ${networkCode} do not find ${hash}, which is in a final block`,
    );
  }
}
