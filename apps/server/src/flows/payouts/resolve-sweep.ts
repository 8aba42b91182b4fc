import type { Decimal } from "@exchange/money";
import type { Operator } from "../../domain/operators/operator.ts";
import { euroCentsOf } from "../../domain/payouts/limits.ts";
import {
  type FoundSweep,
  findSweep,
  isRead,
  type MismatchDecision,
  readLeft,
} from "../../storage/payouts/mismatches.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { requireUnits } from "../requirements.ts";
import { isPayoutId } from "./require-payout.ts";
import { otherAmount, type PayoutResolution, recordDecision } from "./resolve.ts";

export interface ResolveSweep {
  readonly sendId: string;
  /** The whole coins that left our wallets altogether: what the deposit address lost and the hot wallet did not get. */
  readonly left: Decimal;
  readonly by: Operator;
}

type SweepDeps = Pick<Deps, "database" | "catalogue" | "environment">;

/**
 * Records a person's decision about a sweep whose transaction moved less than was planned, as of a token that takes a
 * fee. A loss above the limit of approvals needs two people. The sweep's worker then books the loss. Refuses NOT_FOUND,
 * INVALID_ORDER_STATE, INVALID_INPUT and AMOUNT_PRECISION.
 */
export async function resolveSweep(
  deps: SweepDeps,
  command: ResolveSweep,
): Promise<PayoutResolution> {
  const { sendId } = command;
  const by = requireOperator(deps, command.by);
  const sweep = isPayoutId(sendId) ? await findSweep(deps.database, sendId) : undefined;
  if (!sweep) {
    throw new Refusal("NOT_FOUND", {
      message: `There is no sweep ${sendId}. For a payout, say --outcome paid or unpaid too.`,
    });
  }
  const asset = deps.catalogue().requireCurrency(sweep.assetId);
  const left = requireUnits(asset, command.left);
  const euroCents = euroCentsOf({ asset, units: left });
  const subject = { ...sweep, name: `Sweep ${sendId}`, euroCents };
  const decision = { outcome: "moved" as const, left };
  return deps.database.transaction((tx) => {
    const requireLeft = (hash: string) => requireNetLoss(tx, deps, { sweep, hash, decision });
    return recordDecision(tx, deps, { subject, decision, by, requireLeft });
  });
}

/** Coins that moved without an event are not in the transaction's movements: the balances show and book them. */
async function requireNetLoss(
  tx: Tx,
  deps: SweepDeps,
  {
    sweep,
    hash,
    decision,
  }: {
    readonly sweep: FoundSweep;
    readonly hash: string;
    readonly decision: MismatchDecision;
  },
): Promise<void> {
  const { networkCode, assetId } = sweep;
  if (!(await isRead(tx, { networkCode, hash }))) {
    throw new Refusal("INVALID_ORDER_STATE", {
      message: `The scanner has not recorded transaction ${hash} as final yet. Run the command again in a minute.`,
    });
  }
  const left = (await readLeft(tx, { networkCode, hash, assetId })) ?? 0n;
  if (left !== decision.left) throw otherAmount(deps, { assetId, hash }, left);
}
