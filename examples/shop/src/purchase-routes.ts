import { ExchangeError } from "@exchange/node";
import type { FastifyInstance } from "fastify";
import type { Purchase } from "./purchases.ts";
import type { Settings, ShopParts } from "./settings.ts";
import { coinsOn } from "./test-wallet/coins.ts";

const SESSION_SCHEMA = {
  body: { type: "object", required: ["sessionId"], properties: { sessionId: { type: "string" } } },
} as const;

/** A purchase as the customer's page shows it. */
export type PurchaseView = ReturnType<typeof presentPurchase> & {
  /** Where the customer continues with an order that waits, on any device. */
  readonly customerUrl: string | null;
};

const presentPurchase = (
  { product, status, orderId, paymentMethod }: Purchase,
  settings: Settings,
) => ({
  productId: product.id,
  product: product.name,
  operationType: product.lock.operationType,
  status,
  orderId: orderId ?? null,
  /** By bank transfer or with coins: the sandbox can make it arrive. */
  isPaidOutside: paymentMethod !== undefined && !/\bcard\b/i.test(paymentMethod),
  /** With coins of a test chain, which the test wallet has. */
  isPaidFromTestWallet: coinsOn(settings).some(({ code }) => code === product.lock.baseCurrency),
});

/** The order's own page at Exchange. Show it to the customer who placed the order, and to nobody else. */
async function continueAt(
  { status, orderId }: Purchase,
  exchange: ShopParts["exchange"],
): Promise<string | null> {
  if (status !== "order_placed" || orderId === undefined) return null;
  try {
    return (await exchange.orders.read(orderId)).customerUrl;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    console.error("shop:", error.message);
    return null;
  }
}

export async function purchaseRoutes(
  shop: FastifyInstance,
  { settings, exchange, purchases }: ShopParts,
) {
  shop.get<{ Params: { sessionId: string } }>(
    "/api/purchases/:sessionId",
    async ({ params }, reply) => {
      const purchase = purchases.find(params.sessionId);
      if (purchase === undefined) return reply.callNotFound();
      const customerUrl = await continueAt(purchase, exchange);
      const view: PurchaseView = { ...presentPurchase(purchase, settings), customerUrl };
      return view;
    },
  );

  /** Makes a bank transfer or coins arrive, which nobody really sends in a sandbox. A real shop has no such route. */
  shop.post<{ Body: { sessionId: string } }>(
    "/api/simulate-payment",
    { schema: SESSION_SCHEMA },
    async ({ body }, reply) => {
      const orderId = purchases.find(body.sessionId)?.orderId;
      if (settings.environment === "prod" || orderId === undefined) {
        return reply.code(404).send({ message: "There is no order to pay for." });
      }
      try {
        await exchange.sandbox.payDeposit({ orderId });
        return reply.code(202).send({ orderId });
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
        console.error("shop:", error.message);
        return reply.code(409).send({ message: "This order is not waiting for a payment." });
      }
    },
  );
}
