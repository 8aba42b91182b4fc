import type { ChainGateway } from "../domain/ports/chain-gateway.ts";
import { failpoint } from "../failpoints.ts";
import { completePayout } from "../flows/complete-payout.ts";
import type { Deps } from "../flows/deps.ts";
import { currencyOf } from "../flows/order-event-payload.ts";
import { type LeasedJob, postponeJob } from "../storage/jobs.ts";
import {
  advancePayoutIntent,
  findPayoutIntent,
  type PayoutIntent,
  storeSigned,
} from "../storage/payout-intents.ts";
import { requireRail } from "./require-rail.ts";

/** How often the network is asked for confirmations. */
const ASK_AGAIN_MS = 200;

/**
 * Sends an order's coins: sign, store the signed bytes, broadcast the stored bytes, wait until the
 * network has confirmed them. After a crash it goes on from what is stored; only stored bytes are
 * ever broadcast, so the coins move once however often this runs.
 */
export async function sendPayout(deps: Deps, job: LeasedJob): Promise<void> {
  const chain = requireRail(deps.chain, "chain");
  let intent = await requireIntent(deps, job);
  if (intent.state === "created") {
    await signPayout(deps, chain, intent);
    intent = await requireIntent(deps, job);
  }
  if (intent.state === "signed") await broadcastPayout(deps, chain, intent);
  const confirmations = await countConfirmations(chain, intent);
  if (confirmations < confirmationsRequired(deps, intent)) {
    if (confirmations > 0) {
      await advancePayoutIntent(deps.database, intent.id, { state: "broadcast", confirmations });
    }
    return postponeJob(deps.database, job, ASK_AGAIN_MS);
  }
  failpoint("payout.before_complete");
  await completePayout(deps, { job, intent, confirmations });
  failpoint("payout.after_complete");
}

async function signPayout(deps: Deps, chain: ChainGateway, intent: PayoutIntent): Promise<void> {
  failpoint("payout.before_sign");
  const signed = await chain.sign({
    intentId: intent.id,
    networkCode: intent.networkCode,
    assetReference: currencyOf(deps.catalogue(), intent.assetId).reference,
    address: intent.address,
    memo: intent.memo,
    units: intent.units,
  });
  failpoint("payout.after_sign");
  await storeSigned(deps.database, intent.id, signed);
  failpoint("payout.after_sign_recorded");
}

async function broadcastPayout(
  deps: Deps,
  chain: ChainGateway,
  intent: PayoutIntent,
): Promise<void> {
  const { networkCode, transactionHash, signedBytes } = intent;
  if (transactionHash === null || signedBytes === null) {
    throw new Error(`payout intent ${intent.id} is ${intent.state} without signed bytes`);
  }
  await chain.broadcast({ networkCode, transactionHash, bytes: signedBytes });
  failpoint("payout.after_broadcast");
  await advancePayoutIntent(deps.database, intent.id, { state: "broadcast", confirmations: 0 });
  failpoint("payout.after_broadcast_recorded");
}

async function countConfirmations(chain: ChainGateway, intent: PayoutIntent): Promise<number> {
  if (intent.transactionHash === null) return 0;
  const seen = await chain.lookUp(intent.networkCode, intent.transactionHash);
  return seen?.confirmations ?? 0;
}

function confirmationsRequired(deps: Pick<Deps, "catalogue">, intent: PayoutIntent): number {
  return deps.catalogue().network(intent.networkCode)?.confirmations ?? 1;
}

async function requireIntent(deps: Deps, job: LeasedJob): Promise<PayoutIntent> {
  const intent = await findPayoutIntent(deps.database, job.orderId);
  if (!intent) throw new Error(`order ${job.orderId} has no payout intent`);
  return intent;
}
