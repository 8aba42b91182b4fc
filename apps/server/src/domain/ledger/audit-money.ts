import type { Money } from "@exchange/money";
import type { OrderStatus } from "../orders/status.ts";
import type { Break, IntentFacts, OrderFacts } from "./audit-facts.ts";
import { doneStatus, isExchanged } from "./expected-entries.ts";

/** Compares the money received, held and sent with the order's status. */
export const auditMoney = (facts: OrderFacts): Break[] => [
  ...auditReceived(facts),
  ...auditHeld(facts),
  ...auditPayout(facts),
  ...auditRefunds(facts),
];

const sum = (amounts: readonly Money[]): bigint =>
  amounts.reduce((total, { units }) => total + units, 0n);

const moneyIn = (facts: OrderFacts): readonly { readonly id: string; readonly amount: Money }[] => [
  ...facts.attempts.filter(({ status }) => status === "captured"),
  ...facts.deposits.filter(({ state }) => state === "final"),
];

const PAID: readonly OrderStatus[] = ["processing", "sending", "completed"];

function auditReceived(facts: OrderFacts): Break[] {
  const check = "what was received is what the rails made final";
  const amounts = moneyIn(facts).map(({ amount }) => amount);
  const final = sum(amounts.filter(({ asset }) => asset.id === facts.spend.asset.id));
  const received = facts.receivedUnits ?? 0n;
  const order = `order ${facts.orderId} is ${facts.status}`;
  if (received !== final) {
    return [{ check, problem: `${order}, says it received ${received}, and ${final} are final` }];
  }
  const isShort = PAID.includes(doneStatus(facts)) && final < facts.spend.units;
  return isShort
    ? [{ check, problem: `${order} with ${final} received of ${facts.spend.units}` }]
    : [];
}

/** The owner and the account of the funds that an order still holds when it ends. */
const HOLDING = ["customer_funds", "customer_payable", "payouts_in_flight", "refunds_in_flight"];
/** Only cards pay an order that fails. Money that reaches it is a fault, although it is returned (`isSettled`). */
const NOTHING_HELD: readonly OrderStatus[] = ["failed", "expired", "cancelled"];
/** Money that comes later is an excess, which is held until it is returned. The order stays as it is. */
const EXCESS_HELD: readonly OrderStatus[] = ["completed", "refunded"];

/**
 * An order that ended holds nothing for the customer. One that is completed or refunded may still owe an excess: held,
 * or on its way back by refunds of the excess.
 */
function auditHeld(facts: OrderFacts): Break[] {
  const held = new Map<string, { purpose: string; assetId: number; units: bigint }>();
  for (const { assetId, postings } of facts.entries) {
    for (const { purpose, units } of postings) {
      if (!HOLDING.includes(purpose)) continue;
      const account = `${purpose} of asset ${assetId}`;
      const before = held.get(account)?.units ?? 0n;
      held.set(account, { purpose, assetId, units: before - units });
    }
  }
  return [...held].flatMap(([account, { purpose, assetId, units }]) => {
    const most = mostHeld(facts, purpose, assetId);
    const problem = `order ${facts.orderId} is ${facts.status} and holds ${units} in ${account}`;
    const isRight = units >= 0n && (most === undefined || units <= most);
    return isRight ? [] : [{ check: "an order holds what its status says", problem }];
  });
}

/** Returns the most units that the order's status lets an account hold; undefined where it sets no bound. */
function mostHeld(facts: OrderFacts, purpose: string, assetId: number): bigint | undefined {
  if (NOTHING_HELD.includes(facts.status)) return 0n;
  if (!EXCESS_HELD.includes(facts.status) || purpose === "customer_funds") return undefined;
  const returning = facts.intents.filter(
    (intent) =>
      intent.purpose === "excess_refund" &&
      intent.amount.asset.id === assetId &&
      isAlive(intent) &&
      intent.state !== "confirmed",
  );
  return purpose === "refunds_in_flight" ? sum(returning.map(({ amount }) => amount)) : 0n;
}

const isAlive = ({ state }: IntentFacts): boolean => state !== "void";

function auditPayout(facts: OrderFacts): Break[] {
  const check = "an order has the payout its status says";
  const alive = facts.intents.filter((intent) => intent.purpose === "payout" && isAlive(intent));
  const [payout] = alive;
  const order = `order ${facts.orderId} is ${facts.status}`;
  const mustHave = facts.status === "sending" || facts.status === "completed";
  if (alive.length > 1 || (mustHave && payout === undefined)) {
    return [{ check, problem: `${order} with ${alive.length} payouts` }];
  }
  if (payout === undefined) return [];
  if (!isExchanged(facts)) return [{ check, problem: `${order} and has a payout, ${payout.id}` }];
  const isRight =
    payout.amount.units === facts.receive.units &&
    payout.amount.asset.id === facts.receive.asset.id;
  if (!isRight) {
    const problem = `${order} and pays out ${payout.amount.units} instead of ${facts.receive.units}`;
    return [{ check, problem }];
  }
  return (payout.state === "confirmed") === (facts.status === "completed")
    ? []
    : [{ check, problem: `${order} while its payout ${payout.id} is ${payout.state}` }];
}

/** The refunds of a payment never exceed that payment. */
function auditRefunds(facts: OrderFacts): Break[] {
  const refunds = facts.intents.filter((intent) => intent.purpose !== "payout" && isAlive(intent));
  const sources = moneyIn(facts);
  const unfounded = refunds.filter(
    ({ attemptId, depositId }) => !sources.some(({ id }) => id === (attemptId ?? depositId)),
  );
  const check = "refunds give back what came and no more" as const;
  return [
    ...unfounded.map(({ id }) => ({
      check,
      problem: `refund ${id} of order ${facts.orderId} gives back what never came`,
    })),
    ...sources.flatMap(({ id, amount }) => {
      const given = sum(
        refunds
          .filter(({ attemptId, depositId }) => (attemptId ?? depositId) === id)
          .map((refund) => refund.amount),
      );
      const problem = `order ${facts.orderId} gives back ${given} of ${amount.units} that came as ${id}`;
      return given > amount.units ? [{ check, problem }] : [];
    }),
  ];
}
