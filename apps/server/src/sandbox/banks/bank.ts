import type { BankGateway, BankPayout, PreparedPayout } from "../../domain/ports/bank-gateway.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { findCard } from "../cards/store.ts";
import {
  beneficiaryDigestOf,
  type PayoutPlan,
  payoutReferenceOf,
  planOf,
  rejectedFor,
} from "./payout-plan.ts";
import { findPayout, type NewPayout, payOut } from "./payouts.ts";
import { receivingAccountOf } from "./receiving-accounts.ts";
import { bankStatement } from "./statement.ts";
import { transfersTo } from "./transfers.ts";

/** The payment order in the form that is stored and submitted. It names the beneficiary by a digest only. */
type PaymentOrder = Omit<NewPayout, "units"> & { readonly units: string };

/**
 * The sandbox's bank, for every way that fiat comes in and goes out. It keeps its own books in the schema
 * `sandbox`. A transfer that takes days takes days of business time.
 */
export function sandboxBank(database: Database): BankGateway {
  return {
    name: "sandbox",
    receivingAccount: async ({ method, currencyCode }) => receivingAccountOf(method, currencyCode),
    depositsTo: (reference) => transfersTo(database, reference),
    prepare: (payout) => prepare(database, payout),
    submit: (prepared) => submit(database, prepared),
    lookUp: (reference) => findPayout(database, reference),
    statement: bankStatement(database),
  };
}

async function prepare(database: Database, payout: BankPayout): Promise<PreparedPayout> {
  const { intentId, method, amount, returns } = payout;
  const reference = payoutReferenceOf(payout);
  const order: PaymentOrder = {
    intentId,
    reference,
    method,
    currency: amount.asset.code,
    units: String(amount.units),
    beneficiaryDigest: beneficiaryDigestOf(payout),
    returns,
    plan: await planFor(database, payout),
  };
  return { reference, bytes: Buffer.from(JSON.stringify(order)) };
}

/** The card decides a push to a card. The account holder's name decides every other payout. */
async function planFor(database: Database, payout: BankPayout): Promise<PayoutPlan> {
  const token = payout.fields["cardToken"];
  if (token === undefined) return planOf(payout);
  const card = await findCard(database, token);
  if (!card) return rejectedFor("unknown_card");
  return card.outcome === "push_rejected" ? rejectedFor("card_rejects_pushes") : planOf(payout);
}

async function submit(database: Database, { reference, bytes }: PreparedPayout): Promise<void> {
  const { units, ...order } = JSON.parse(Buffer.from(bytes).toString("utf8")) as PaymentOrder;
  if (order.reference !== reference) {
    throw new Error("the payment order does not match its reference");
  }
  const isNew = await payOut(database, { ...order, units: BigInt(units) });
  if (isNew && order.plan.loses !== null) throw new Error("the sandbox bank did not answer");
}
