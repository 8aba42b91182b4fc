import type { OrderData, QuoteData } from "@exchange/contract";
import { type Database, statement } from "../storage/postgres/database.ts";
import { found } from "./catalogue.ts";
import { type Browser, browserWith, type Ok } from "./checkout-browser.ts";
import type { HttpWorld, Reply } from "./http-world.ts";
import { ETHEREUM } from "./orders.ts";

/** The words by which the person of a test is recognised, wherever they were written. */
export const CANARY = {
  reference: "canary-reference-1042",
  email: "Canary.Mail@a.example",
  firstName: "Canaryfirst",
  lastName: "Canarylast",
  street: "77 Canarystreet",
  city: "Canarytown",
  holder: "Canaryholder Person",
  iban: "DE89370400440532013000",
  metadata: "canarymetadata",
  returnUrl: "https://shop.example/return?who=canaryreturn",
  walletName: "Canarywallet",
} as const;

/** The merchant's word about the person. */
export const CUSTOMER = {
  reference: CANARY.reference,
  email: CANARY.email,
  firstName: CANARY.firstName,
  lastName: CANARY.lastName,
  countryCode: "DE",
};

export const WALLET = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";

const TABLES = statement(
  "test_tables",
  `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') order by 1`,
);

/**
 * Returns the tables whose rows hold one of the words: as text in any letter case, or as bytes. The sandbox's
 * books are among them.
 */
export async function findInTables(database: Database, words: readonly string[]) {
  const hits: string[] = [];
  for (const { name } of await database.query<{ name: string }>(TABLES)) {
    const text = `select coalesce(string_agg(lower(t::text), E'\\n'), '') as dump from ${name} t`;
    const rows = await database.query<{ dump: string }>(statement(`test_dump_${name}`, text));
    const dump = found(rows[0]).dump;
    for (const word of words) {
      const bytes = Buffer.from(word).toString("hex");
      if (dump.includes(word.toLowerCase()) || dump.includes(bytes)) hits.push(`${name}: ${word}`);
    }
  }
  return hits;
}

function must<Body>(reply: Reply<Body>, status: number): Body {
  if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply.body;
}

interface Wanted {
  readonly operationType: "B" | "S";
  readonly spend: string;
  readonly receive: string;
  readonly amount: number;
  readonly method: string;
  readonly delivery: string;
  readonly request: object;
}

async function place(world: HttpWorld, browser: Browser, wanted: Wanted): Promise<number> {
  const catalogue = world.deps.catalogue();
  const quote = await browser<Ok<QuoteData>>("/quotes", {
    payload: {
      operationType: wanted.operationType,
      baseCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.spend)).id,
      baseAmount: wanted.amount,
      targetCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.receive)).id,
      paymentMethodId: found(catalogue.paymentMethodByReference(wanted.method)).id,
      deliveryMethodId: found(catalogue.deliveryMethodByReference(wanted.delivery)).id,
    },
  });
  const payload = { ...wanted.request, quoteId: must(quote, 200).data.quoteId };
  return must(await browser<Ok<OrderData>>("/orders", { payload }), 201).data.orderId;
}

/** The orders of the person: two that end, and one that waits for its payment. */
export interface CanaryOrders {
  readonly bought: number;
  readonly sold: number;
  readonly waiting: number;
}

/** Sends the person's data through every call that takes some. */
export async function sendCanary(world: HttpWorld): Promise<CanaryOrders> {
  const { headers } = world.shop;
  const customer = CUSTOMER;
  const metadata = { note: CANARY.metadata };
  const open = async (body: object) => browserWith(world, await world.token({ ...body }));
  const buyer = await open({ customer, metadata, returnUrl: CANARY.returnUrl });
  const buy = { operationType: "B", spend: "eur", receive: "btc", amount: 100 } as const;
  const toWallet = { delivery: "blockchain_transfer", request: { walletAddress: WALLET } };
  const bought = await place(world, buyer, { ...buy, ...toWallet, method: "card" });
  const { street: line1, city, holder: holderName } = CANARY;
  const address = { line1, city, postalCode: "10115", countryCode: "DE" };
  const card = { number: "4000000000002701", expiryMonth: 12, expiryYear: 2099, cvv: "123" };
  const payment = { type: "card", card: { ...card, holderName }, frequency: "one_time" };
  const payload = { ...payment, billingAddress: address };
  must(await buyer(`/orders/${bought}/payments`, { payload }), 201);
  const seller = await open({ customer, metadata });
  const payout = { accountHolder: CANARY.holder, iban: CANARY.iban };
  const sold = await place(world, seller, {
    ...{ operationType: "S", spend: "eth", receive: "eur", amount: 0.1 },
    ...{ method: "crypto", delivery: "sepa", request: { payout, refundAddress: ETHEREUM } },
  });
  must(await seller(`/orders/${sold}/payments`, { payload: { type: "crypto" } }), 201);
  // The browser tells the customer that the merchant did not.
  const stranger = await open({ customer: { countryCode: "DE" } });
  const request = { walletAddress: WALLET, customer: CUSTOMER };
  const byBank = { method: "sepa", delivery: "blockchain_transfer", request };
  const waiting = await place(world, stranger, { ...buy, ...byBank });
  await open({ customer, metadata });
  const user = { firstName: CANARY.walletName, lastName: CANARY.lastName };
  const wallet = { walletAddress: WALLET, currencyCode: "BTC", networkCode: "bitcoin", user };
  const keyed = { ...headers, "idempotency-key": "canary-wallet" };
  const save = { method: "POST", url: "/v1/wallets", headers: keyed, payload: wallet } as const;
  must(await world.call(save), 201);
  return { bought, sold, waiting };
}
