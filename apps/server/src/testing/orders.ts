import { randomUUID } from "node:crypto";
import { parseDecimal } from "@exchange/money";
import type { Operation } from "../domain/catalogue/operation.ts";
import type { OrderView } from "../domain/orders/view.ts";
import type { Deps } from "../flows/deps.ts";
import { payOrder } from "../flows/orders/pay.ts";
import { placeOrder, type RequestedOrder } from "../flows/orders/place.ts";
import { readOrder } from "../flows/orders/read.ts";
import { createQuote } from "../flows/quotes/create.ts";
import { startJobs } from "../jobs/worker.ts";
import { MAGIC_ADDRESSES } from "../sandbox/chains/magic-addresses.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import type { SandboxTarget } from "../sandbox/world/sandbox-world.ts";
import { sandboxWorld } from "../sandbox/world/world.ts";
import { hurryJobs } from "../storage/jobs/jobs.ts";
import { type Database, statement } from "../storage/postgres/database.ts";
import { found } from "./catalogue.ts";
import { MERCHANT_ID, makeWorld, type World } from "./world.ts";

/** The order of a test, by references. */
export interface WantedOrder {
  readonly operation: Operation;
  readonly spend: string;
  readonly receive: string;
  readonly amount: string;
  readonly method: string;
  readonly delivery: string;
  readonly request: Omit<RequestedOrder, "quoteId">;
}

/** A payment by card. Without a number its card is the one whose payments are approved. */
export const cardPayment = (number = "4000000000002701") =>
  ({
    type: "card",
    card: { number, expiryMonth: 12, expiryYear: 2099, cvv: "123", holderName: "Ada Lovelace" },
    billingAddress: { line1: "1 Main St", city: "Berlin", postalCode: "10115", countryCode: "DE" },
  }) as const;

const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
export const ETHEREUM = "0x52908400098527886E0F7030069857D2E4169EE7";
/** Coins sent to this address are stuck until they are replaced. */
export const STUCK_BITCOIN = found(
  MAGIC_ADDRESSES.find(({ form, behaviour }) => form === "bitcoin" && behaviour === "stuck"),
).address;
const ACCOUNT = { accountHolder: "Ada Lovelace", iban: "DE89370400440532013000" };

/** An order of each kind. */
export const ORDERS = {
  buyByBank: {
    operation: "buy",
    spend: "eur",
    receive: "btc",
    amount: "100",
    method: "sepa",
    delivery: "blockchain_transfer",
    request: { walletAddress: BITCOIN },
  },
  sell: {
    operation: "sell",
    spend: "eth",
    receive: "eur",
    amount: "0.1",
    method: "crypto",
    delivery: "sepa",
    request: { payout: ACCOUNT, refundAddress: ETHEREUM },
  },
  swap: {
    operation: "crypto_to_crypto",
    spend: "eth",
    receive: "btc",
    amount: "0.1",
    method: "crypto",
    delivery: "blockchain_transfer",
    request: { walletAddress: BITCOIN, refundAddress: ETHEREUM },
  },
  transfer: {
    operation: "fiat_to_fiat",
    spend: "gbp",
    receive: "eur",
    amount: "100",
    method: "faster_payments",
    delivery: "sepa",
    request: { payout: ACCOUNT },
  },
} as const satisfies Record<string, WantedOrder>;

/** A world with rates and a job worker, in which orders of every kind are placed and paid. */
export interface OrderWorld extends World {
  /** Places an order and asks for its instructions where it is not paid by card. */
  order(wanted: WantedOrder): Promise<OrderView>;
  /** Pays the instruction: by default the order's own asset and amount. */
  pay(view: OrderView, changes?: PayChanges): Promise<string>;
  read(view: OrderView): Promise<OrderView>;
  until(view: OrderView, done: (view: OrderView) => boolean): Promise<OrderView>;
  untilStatus(view: OrderView, status: string): Promise<OrderView>;
  /** Makes the order's jobs due now. */
  hurry(view: OrderView): Promise<void>;
  /** Waits until the order's jobs ran and wait for their next run. */
  untilTried(view: OrderView): Promise<void>;
}

export interface PayChanges {
  readonly units?: bigint;
  readonly asset?: string;
  /** Final by default. */
  readonly confirmations?: number;
  readonly returns?: "accepted" | "rejected";
}

export async function makeOrderWorld(overrides: Partial<Deps> = {}): Promise<OrderWorld> {
  const world = await makeWorld({ rates: sandboxRates({ seed: "orders" }), ...overrides });
  const deps: Deps = {
    ...world.deps,
    jobTaker: () => worker,
  };
  const worker = startJobs(deps);
  const read = ({ order }: OrderView) =>
    readOrder(deps, { merchantId: MERCHANT_ID, orderId: order.id });
  const hurry = async ({ order }: OrderView): Promise<void> => {
    await world.database.transaction((tx) => hurryJobs(tx, order.id));
  };
  const until: OrderWorld["until"] = async (view, done) => {
    for (let round = 0; round < 2_400; round++) {
      const now = await read(view);
      if (done(now)) return now;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const { status, statusReason } = (await read(view)).order;
    throw new Error(`the order never got there: it is ${status}, ${statusReason}`);
  };
  return {
    ...world,
    deps,
    read,
    hurry,
    untilTried: ({ order }) => untilTried(world.database, order.id),
    until,
    untilStatus: (view, status) => until(view, (now) => now.order.status === status),
    order: (wanted) => placeAndAsk({ ...world, deps }, wanted),
    pay: async (view, changes = {}) => {
      const id = await payInstruction({ ...deps, books: deps.database }, view, changes);
      await hurry(view);
      return id;
    },
    close: async () => {
      await worker.stop();
      await world.close();
    },
  };
}

const JOBS_OF_ORDER = statement(
  "test_jobs_of_order",
  `select count(*)::int as jobs,
     count(*) filter (where run_at <= business_now() or lease_token is not null)::int as due
   from jobs where order_id = $1`,
);

/**
 * Waits until a worker has run each of the order's due jobs, and all of them wait for a later run. Call it before you
 * expect that a job changed nothing. Throws if the order has no job: its jobs have ended.
 */
export async function untilTried(database: Database, orderId: bigint | number): Promise<void> {
  for (let round = 0; round < 2_400; round++) {
    const rows = await database.query<{ jobs: number; due: number }>(JOBS_OF_ORDER, [orderId]);
    const { jobs, due } = found(rows[0]);
    if (jobs === 0) throw new Error(`order ${orderId} has no job that could be tried`);
    if (due === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the jobs of order ${orderId} were not tried`);
}

/** Places an order, and asks for its instructions where it is not paid by card. */
export async function placeAndAsk(
  world: Pick<World, "deps" | "openSession">,
  wanted: WantedOrder,
): Promise<OrderView> {
  const { deps } = world;
  const catalogue = deps.catalogue();
  const session = await world.openSession();
  const method = found(catalogue.paymentMethodByReference(wanted.method));
  const quote = await createQuote(deps, {
    merchantId: MERCHANT_ID,
    sessionId: session.sessionId,
    operation: wanted.operation,
    spendCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.spend)).id,
    receiveCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.receive)).id,
    spendAmount: found(parseDecimal(wanted.amount)),
    paymentMethodId: method.id,
    deliveryMethodId: found(catalogue.deliveryMethodByReference(wanted.delivery)).id,
  });
  const request = { ...wanted.request, quoteId: quote.id };
  const placed = await placeOrder(deps, { merchantId: MERCHANT_ID, ...session, request });
  if (method.type === "card") return placed;
  return payOrder(deps, {
    merchantId: MERCHANT_ID,
    sessionId: session.sessionId,
    orderId: placed.order.id,
    payment: { type: method.type === "crypto" ? "crypto" : "bank_transfer" },
  });
}

/** Pays an order's instruction in the books of the sandbox's rails. */
export async function payInstruction(
  { catalogue, books }: Pick<Deps, "catalogue"> & { readonly books: Database },
  view: OrderView,
  changes: PayChanges = {},
): Promise<string> {
  const { networkCode, address, memo, reference, rail, units, assetId } = found(view.instruction);
  const target: SandboxTarget =
    rail === "bank"
      ? { rail, reference }
      : { rail, to: { networkCode: networkCode ?? "", address: address ?? "", memo } };
  const asset = changes.asset ?? found(catalogue().currencyById(assetId)).reference;
  const { id } = await sandboxWorld(books).pay({
    id: randomUUID(),
    target,
    assetReference: asset,
    units: changes.units ?? units,
    confirmations: changes.confirmations ?? 1_000,
    returns: changes.returns ?? "accepted",
  });
  return id;
}
