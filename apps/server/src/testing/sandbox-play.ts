import type { OrderData, QuoteData, SandboxDeposit } from "@exchange/contract";
import { found } from "./catalogue.ts";
import { type Browser, browserWith, type Ok } from "./checkout-browser.ts";
import type { HttpWorld, Reply } from "./http-world.ts";
import { cardPayment, ORDERS, type WantedOrder } from "./orders.ts";
import type { Row, SandboxStep } from "./sandbox-table.ts";

const byCard = {
  operation: "buy",
  spend: "eur",
  receive: "btc",
  amount: "100",
  method: "card",
  delivery: "blockchain_transfer",
  request: ORDERS.buyByBank.request,
} as const satisfies WantedOrder;

/** The orders of the table, by their names there. */
const KINDS: Readonly<Record<string, WantedOrder>> = {
  "buy by card": byCard,
  "buy by transfer": ORDERS.buyByBank,
  sell: ORDERS.sell,
  "sell to card": { ...ORDERS.sell, delivery: "card_push", request: cardRequest() },
  swap: ORDERS.swap,
  transfer: ORDERS.transfer,
};

function cardRequest(): WantedOrder["request"] {
  const { refundAddress } = ORDERS.sell.request;
  return {
    refundAddress,
    payout: { accountHolder: "Ada Lovelace", cardToken: "4000000000002701" },
  };
}

const OPERATION_TYPES = {
  buy: "B",
  sell: "S",
  crypto_to_crypto: "CC",
  fiat_to_fiat: "FF",
} as const;
const PAYMENT_TYPES = { card: "card", bank_transfer: "bank_transfer", crypto: "crypto" } as const;

/** An order of a row that was placed over HTTP, with the actions of the table's reader. */
export interface PlayedOrder {
  readonly id: number;
  do(step: SandboxStep): Promise<void>;
  advance(status: string, reason?: string): Promise<Reply<Ok<OrderData>>>;
  read(): Promise<OrderData>;
  until(done: (order: OrderData) => boolean): Promise<OrderData>;
}

/** Places the order of a row, and starts its payment unless a card pays it. */
export async function playOrder(world: HttpWorld, row: Row): Promise<PlayedOrder> {
  const wanted = found(KINDS[row.order]);
  const countryCode = wanted.spend === "gbp" ? "GB" : "DE";
  const browser = browserWith(world, await world.token({ customer: { countryCode } }));
  const id = await place(world, browser, { wanted, requestMembers: row.requestMembers });
  const type = found(world.deps.catalogue().paymentMethodByReference(wanted.method)).type;
  if (type !== "card") {
    const payload = { type: PAYMENT_TYPES[type as keyof typeof PAYMENT_TYPES] };
    must(await browser(`/orders/${id}/payments`, { payload }), 201);
  }
  return makePlayed(world, browser, id);
}

async function place(
  world: HttpWorld,
  browser: Browser,
  order: { readonly wanted: WantedOrder; readonly requestMembers: Row["requestMembers"] },
): Promise<number> {
  const { wanted, requestMembers } = order;
  const catalogue = world.deps.catalogue();
  const quote = await browser<Ok<QuoteData>>("/quotes", {
    payload: {
      operationType: OPERATION_TYPES[wanted.operation],
      baseCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.spend)).id,
      baseAmount: Number(wanted.amount),
      targetCurrencyId: found(catalogue.currencyByCodeOrReference(wanted.receive)).id,
      paymentMethodId: found(catalogue.paymentMethodByReference(wanted.method)).id,
      deliveryMethodId: found(catalogue.deliveryMethodByReference(wanted.delivery)).id,
    },
  });
  const request = await requestOf(browser, wanted, requestMembers);
  const payload = { ...request, quoteId: must(quote, 200).data.quoteId };
  return must(await browser<Ok<OrderData>>("/orders", { payload }), 201).data.orderId;
}

/** Builds the request of the order, with the row's own words in their place. */
async function requestOf(
  browser: Browser,
  wanted: WantedOrder,
  requestMembers: Row["requestMembers"],
) {
  const request = structuredClone(wanted.request) as Record<string, unknown>;
  for (const [path, value] of requestMembers) {
    const [member = "", inner] = path.split(".");
    if (inner === undefined) request[member] = value;
    else request[member] = { ...(request[member] as object | undefined), [inner]: value };
  }
  const payout = request["payout"] as Record<string, string> | undefined;
  if (payout?.["cardToken"]) payout["cardToken"] = await tokenOf(browser, payout["cardToken"]);
  return request;
}

async function tokenOf(browser: Browser, number: string): Promise<string> {
  const payload = { card: cardPayment(number).card };
  const reply = await browser<Ok<{ cardToken: string }>>("/cards", { payload });
  return must(reply, 201).data.cardToken;
}

function must<Body>(reply: Reply<Body>, status: number): Body {
  if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply.body;
}

const PATIENCE_ROUNDS = 3_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function makePlayed(world: HttpWorld, browser: Browser, id: number): PlayedOrder {
  const { headers } = world.shop;
  let depositId = "";
  const merchant = <Body>(path: string, payload: object = {}) =>
    world.call<Body>({ method: "POST", url: `/v1${path}`, headers, payload });
  const read: PlayedOrder["read"] = async () =>
    must(await browser<Ok<OrderData>>(`/orders/${id}`), 200).data;
  const until: PlayedOrder["until"] = async (done) => {
    for (let round = 0; round < PATIENCE_ROUNDS; round += 1) {
      const order = await read();
      if (done(order)) return order;
      await pause(20);
    }
    const { status, statusReason } = await read();
    throw new Error(`the order never got there: it is ${status}, ${statusReason}`);
  };
  const deposit = async (body: object): Promise<void> => {
    const depositReference = "depositId" in body ? { depositId } : {};
    const payload = { ...body, ...depositReference, orderId: id };
    depositId = must(await merchant<Ok<SandboxDeposit>>("/sandbox/deposits", payload), 201).data
      .depositId;
  };
  const payByCard = async (number: string): Promise<void> => {
    await until(({ status }) => status === "awaiting_payment");
    const payload = { ...cardPayment(number), frequency: "one_time" };
    must(await browser(`/orders/${id}/payments`, { payload }), 201);
  };
  const callPath = async (path: string, body: unknown): Promise<void> => {
    const place = path.replace("{orderId}", String(id));
    const reply = place.startsWith("/checkout")
      ? await browser(place.slice("/checkout".length), { method: "POST" })
      : await merchant(place, body as object | undefined);
    if (reply.status > 201) throw new Error(`${path}: ${reply.text}`);
  };
  return {
    id,
    read,
    until,
    advance: (status, reason) =>
      merchant(`/sandbox/orders/${id}/advance`, {
        status,
        ...(reason ? { statusReason: reason } : {}),
      }),
    do: async (step) => {
      if (step.kind === "card") return payByCard(step.number);
      if (step.kind === "pause") return pause(1_000);
      if (step.kind === "wait") return void (await until((now) => now.status === step.status));
      if (step.path === "/sandbox/deposits") return deposit(step.body as object);
      return callPath(step.path, step.body);
    },
  };
}

export const hasBeen = (
  { timeline }: Pick<OrderData, "timeline">,
  status: string,
  reason: string,
): boolean =>
  timeline.some((item) => item.status === status && (item.statusReason ?? "") === reason);
