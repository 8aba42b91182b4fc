import { CRASH, simulation, storage } from "./suites.mjs";

const ALL_OPERATIONS = storage("apps/server/src/flows/orders/all-operations.storage.test.ts");
const LATE_SCREENING = "apps/server/src/flows/payouts/late-screening.storage.test.ts";
const BATCHES = "apps/server/src/chains/coin-batches.storage.test.ts";

/** Defects of orders, payments and payouts. */
export const ORDER_DEFECTS = [
  {
    name: "broadcast before store",
    file: "apps/server/src/jobs/send-payout.ts",
    find: `  failpoint("payout.after_sign");
  const stored = await deps.storeSigned(`,
    replace: `  await rail.send({ transactionHash, bytes });
  failpoint("payout.after_sign");
  const stored = await deps.storeSigned(`,
    tests: CRASH,
    only: "buy by card: payout.after_sign",
  },
  {
    name: "a payout gets another place at every try",
    file: "apps/server/src/storage/payouts/sends.ts",
    find: "where o.intent_id = payout_intents.id and not o.is_vacated)",
    replace: "where false)",
    tests: CRASH,
    only: "buy by card: payout.after_bind",
  },
  {
    name: "the wallet's sequence does not move on",
    file: "apps/server/src/storage/payouts/sends.ts",
    find: "set next_place = wallet.next_place + excluded.next_place",
    replace: "set next_place = wallet.next_place",
    tests: simulation("order-races", "opposite directions"),
  },
  {
    name: "a released payout is not screened again",
    file: "apps/server/src/storage/payouts/screenings.ts",
    find: "   where intent.id = $1 and not coalesce(",
    replace: "   where intent.id = $1 and intent.released_at is null and not coalesce(",
    tests: storage(LATE_SCREENING, "a payout that waited released is screened"),
  },
  {
    name: "a restored database rejects a payout that may be paid",
    file: "apps/server/src/jobs/send-payout.ts",
    find: "  } else if (await mayBePaid(deps)) {",
    replace: "  } else if (false) {",
    tests: storage(LATE_SCREENING, "whose preflight is rejected"),
  },
  {
    name: "a payout that left a batch keeps the others from being stored",
    file: "apps/server/src/storage/migrations/0099_screened_before_signing.sql",
    find: "    where o.send_id = new.send_id and not o.is_vacated and intent.adopted_at is null",
    replace: "    where o.send_id = new.send_id and intent.adopted_at is null",
    tests: storage(BATCHES, "holds up none of the others"),
  },
  {
    name: "the plan of a batch is not forgotten when a payout leaves it",
    file: "apps/server/src/storage/migrations/0099_screened_before_signing.sql",
    find: "  when (new.is_vacated and not old.is_vacated) execute function forget_plan();",
    replace: "  when (false) execute function forget_plan();",
    tests: storage(BATCHES, "planned again when a payout leaves it"),
  },
  {
    name: "a signed payout can go back to unsigned",
    file: "apps/server/src/storage/migrations/0043_sends.sql",
    find: `  if new.state <> 'void'
     and array_position(states, new.state) < array_position(states, old.state) then`,
    replace: "  if false then",
    tests: storage("apps/server/src/storage/orders/guards.storage.test.ts"),
  },
  {
    name: "a transaction that moved nothing counts as paid",
    file: "apps/server/src/jobs/chain-rail.ts",
    find: `      return { ...outcome, networkFee: fee(outcome) };`,
    replace: `      return { state: "settled", hash: outcome.hash, confirmations: 1 };`,
    tests: storage("apps/server/src/flows/payouts/outcomes.storage.test.ts", "moved nothing"),
  },
  {
    name: "an order may go anywhere",
    file: "apps/server/src/storage/migrations/0039_sealed_personal_data.sql",
    find: "  if new.status <> old.status and not exists (",
    replace: "  if false and not exists (",
    tests: simulation("models", "an order, its timeline"),
  },
  {
    name: "an entry may take more than its order holds",
    file: "apps/server/src/storage/migrations/0021_guards_at_any_size.sql",
    find: "  if debited is null then",
    replace: "  if true then",
    tests: storage("apps/server/src/storage/orders/guards.storage.test.ts"),
  },
  {
    name: "a recorded entry takes more postings",
    file: "apps/server/src/storage/migrations/0021_guards_at_any_size.sql",
    find: "  if late then",
    replace: "  if false then",
    tests: storage("apps/server/src/storage/orders/guards.storage.test.ts"),
  },
  {
    name: "an ended order cannot be paid late",
    file: "apps/server/src/domain/orders/transitions.ts",
    find: `    from: ["awaiting_payment", "payment_pending", "expired", "cancelled"],
      to: takeCapture,
`,
    replace: `    from: ["awaiting_payment", "payment_pending"],
      to: takeCapture,
`,
    tests: simulation("models", "an order, its timeline"),
  },
  {
    name: "the outbox is written after the commit",
    file: "apps/server/src/flows/orders/advance.ts",
    find: `          ...parts,
          leaseToken: nextLease,
          order,
          job: job && { ...job, runAgainInMs },
        });`,
    replace: `          ...parts,
          event: undefined,
          leaseToken: nextLease,
          order,
          job: job && { ...job, runAgainInMs },
        });
    const { event } = parts;
    setTimeout(() => {
      if (event && applied) void applyStep(deps.database, { order: applied.order, event });
    }, 20);`,
    tests: CRASH,
    only: "buy by card: payout.after_complete",
  },
  {
    name: "a lease without fencing",
    file: "apps/server/src/storage/jobs/jobs.ts",
    find: `"delete from jobs where id = $1 and lease_token = $2 and not hurried returning id"`,
    replace: `"delete from jobs where id = $1 and $2::uuid is not null and not hurried returning id"`,
    tests: storage("apps/server/src/storage/jobs/fencing.storage.test.ts"),
  },
  {
    name: "a retry with a new idempotency key",
    file: "apps/server/src/jobs/card-payment.ts",
    find: "    reference: attempt.id,\n    cardToken",
    replace: "    reference: deps.ids.uuid(),\n    cardToken",
    tests: storage("apps/server/src/flows/orders/buy-by-card.storage.test.ts"),
  },
  {
    name: "a lost answer is taken for a refusal",
    file: "apps/server/src/jobs/card-payment.ts",
    find: "earlier ?? requireOwn(attempt, await ask(deps, processor, attempt));",
    replace: `earlier ?? (await ask(deps, processor, attempt).catch(() => ({
    reference: attempt.id, status: "declined" as const, declineReason: null,
    challengeUrl: null, threeDSecure: null, amount: null,
  })));`,
    tests: storage("apps/server/src/flows/orders/buy-by-card.storage.test.ts", "does not answer"),
  },
  {
    name: "a refund beside a payout that is alive",
    file: "apps/server/src/domain/orders/state.ts",
    find: `if (payoutAlive) return false;`,
    replace: `if (payoutAlive && by === "customer") return false;`,
    tests: simulation("models", "an order, its timeline"),
  },
  {
    name: "an order is exchanged whatever its price is by now",
    file: "apps/server/src/flows/orders/check-price.ts",
    find: `if (compared === "within") return "within";`,
    replace: `if (compared !== "unknown") return "within";`,
    tests: storage("apps/server/src/flows/orders/price-moved.storage.test.ts", "beyond the band"),
  },
  {
    name: "an expired price is accepted",
    file: "apps/server/src/storage/quotes/quotes.ts",
    find: `and reprices_order_id = $2 and consumed_by_order_id is null
     and expires_at > business_now()`,
    replace: `and reprices_order_id = $2 and consumed_by_order_id is null`,
    tests: storage("apps/server/src/flows/orders/price-moved.storage.test.ts", "its lifetime only"),
  },
  {
    name: "open orders are counted without a lock",
    file: "apps/server/src/storage/migrations/0038_caps_of_open_orders.sql",
    find: "perform pg_advisory_xact_lock(38, sorted.number)",
    replace: "perform sorted.number",
    tests: storage("apps/server/src/flows/orders/open-orders.storage.test.ts", "two processes"),
  },
  {
    name: "a deposit is credited without confirmations",
    file: "apps/server/src/flows/payments/record-deposits.ts",
    find: "const isDeep = required !== undefined && deposit.confirmations >= required;",
    replace: "const isDeep = required !== undefined;",
    tests: storage("apps/server/src/http/orders/confirmations.storage.test.ts"),
  },
  {
    name: "a final deposit is not booked",
    file: "apps/server/src/domain/orders/transitions.ts",
    find: "entries: deposits.map(depositEntry),",
    replace: "entries: [],",
    tests: ALL_OPERATIONS,
  },
  {
    name: "a held order is released by two operators",
    file: "apps/server/src/domain/orders/transitions.ts",
    find: `      from: ["in_review"],
      to: (order, event) => {`,
    replace: `      from: ["in_review", "processing", "sending"],
      to: (order, event) => {`,
    tests: simulation("order-races", "of operators"),
  },
];
