import { ExchangeError, type OrderData } from "@exchange/node";
import type { FastifyInstance } from "fastify";
import { browserOf } from "./browser-cookie.ts";
import type { Purchase, PurchaseStatus } from "./purchases.ts";
import type { Settings, ShopParts } from "./settings.ts";
import { coinsOn } from "./test-wallet/coins.ts";

const SESSION_SCHEMA = {
  body: { type: "object", required: ["sessionId"], properties: { sessionId: { type: "string" } } },
} as const;

/** A purchase as the customer's page shows it. */
export interface PurchaseView extends ReturnType<typeof presentPurchase> {
  /** An order that ended unpaid has `ended`. Late money can still make it `paid`. */
  readonly status: PurchaseStatus | "ended";
  /** Where the customer continues with an order that waits, on any device. Only the browser that began it has this. */
  readonly customerUrl: string | null;
}

const ENDED: readonly OrderData["status"][] = ["expired", "cancelled", "failed", "refunded"];

const presentPurchase = ({ product, orderId, paymentMethod }: Purchase, settings: Settings) => ({
  productId: product.id,
  product: product.name,
  operationType: product.lock.operationType,
  orderId: orderId ?? null,
  /** By bank transfer or with coins: the sandbox can make it arrive. */
  isPaidOutside: paymentMethod !== undefined && !/\bcard\b/i.test(paymentMethod),
  /** With coins of a test chain, which the test wallet has. */
  isPaidFromTestWallet: coinsOn(settings).some(({ code }) => code === product.lock.baseCurrency),
});

/** Reads the order of a purchase that waits. The two documented webhooks do not say that an order ended unpaid. */
async function readWaiting(
  { status, orderId }: Purchase,
  exchange: ShopParts["exchange"],
): Promise<OrderData | undefined> {
  if (status !== "order_placed" || orderId === undefined) return undefined;
  try {
    return await exchange.orders.read(orderId);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    console.error("shop:", error.message);
    return undefined;
  }
}

export async function purchaseRoutes(
  shop: FastifyInstance,
  { settings, exchange, purchases }: ShopParts,
) {
  shop.get<{ Params: { sessionId: string } }>(
    "/api/purchases/:sessionId",
    async (request, reply) => {
      const purchase = purchases.find(request.params.sessionId);
      if (purchase === undefined) return reply.callNotFound();
      const order = await readWaiting(purchase, exchange);
      // The order's own page at Exchange is for the customer who placed the order, and for nobody else.
      const isOwn = purchase.browserId === browserOf(request, settings).id;
      const hasEnded = order !== undefined && ENDED.includes(order.status);
      const view: PurchaseView = {
        ...presentPurchase(purchase, settings),
        status: hasEnded ? "ended" : purchase.status,
        customerUrl: (isOwn && !hasEnded && order?.customerUrl) || null,
      };
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
