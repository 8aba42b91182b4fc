import { formatDecimal, toDecimal } from "@exchange/money";
import type { CardRefund, CardRefunds, RefundCard } from "../../domain/ports/card-processor.ts";
import { type Database, statement, type Tx } from "../../storage/postgres/database.ts";

const FIND = statement(
  "sandbox_refund_find",
  'select status, reason, 1000 as "askAgainMs" from sandbox.card_refunds where reference = $1',
);
const INSERT = statement(
  "sandbox_refund_insert",
  `insert into sandbox.card_refunds (reference, payment_reference, currency, amount, status, reason)
   values ($1, $2, $3, $4, 'rejected', 'not_refundable')
   on conflict (reference) do nothing returning reference`,
);
// Concurrent refunds never exceed the captured amount: the row is locked and its condition checked again.
const TAKE = statement(
  "sandbox_payment_refund",
  `update sandbox.card_payments p set refunded = refunded + $2::numeric
   from sandbox.cards c
   where p.reference = $1 and c.token = p.card_token and c.outcome <> 'refund_rejected'
     and p.status = 'captured' and p.currency = $3 and p.refunded + $2::numeric <= p.amount
   returning c.outcome`,
);
const ACCEPT = statement(
  "sandbox_refund_accept",
  "update sandbox.card_refunds set status = 'refunded', reason = null where reference = $1",
);

/** Refunds captured money at once. The processor keeps its own list of refunds. */
export function sandboxRefunds(database: Database): CardRefunds {
  const find = async (reference: string): Promise<CardRefund | undefined> => {
    const [row] = await database.query<CardRefund>(FIND, [reference]);
    return row;
  };
  return {
    refund: async (request) => {
      const losesAnswer = await database.transaction((tx) => refundOnce(tx, request));
      if (losesAnswer) throw new Error("the sandbox processor did not answer");
      const refund = await find(request.reference);
      if (!refund) throw new Error(`the sandbox processor has no refund ${request.reference}`);
      return refund;
    },
    lookUp: find,
  };
}

/** True when the refund was carried out now and its answer is to be lost. */
async function refundOnce(tx: Tx, request: RefundCard): Promise<boolean> {
  const { reference, paymentReference } = request;
  const currency = request.amount.asset.code;
  const amount = formatDecimal(toDecimal(request.amount));
  const inserted = await tx.query(INSERT, [reference, paymentReference, currency, amount]);
  if (inserted.length === 0) return false;
  const [taken] = await tx.query<{ outcome: string }>(TAKE, [paymentReference, amount, currency]);
  if (!taken) return false;
  await tx.query(ACCEPT, [reference]);
  return taken.outcome === "processor_timeout";
}
