import type { FastifyInstance, FastifyReply } from "fastify";
import type { Settings } from "../settings.ts";
import { NodeError } from "./node.ts";
import { PaymentRefused, type PaymentRequest, TestWallet } from "./wallet.ts";
import { renderNoWalletPage, renderWalletPage } from "./wallet-page.ts";

const text = { type: "string", maxLength: 200 } as const;
const PAY_SCHEMA = {
  body: {
    type: "object",
    required: ["coin", "amount", "to"],
    properties: { coin: text, amount: text, to: text },
  },
} as const;

/** The test wallet, if there is a test chain. Without one its page says how to get one. */
export async function walletRoutes(shop: FastifyInstance, { testNode }: Settings) {
  const page = testNode === undefined ? renderNoWalletPage() : renderWalletPage();
  shop.get("/wallet", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send(page),
  );
  if (testNode === undefined) return;
  const wallet = new TestWallet(testNode);
  shop.get("/api/wallet", async (_request, reply) => answer(reply, () => wallet.read()));
  shop.post<{ Body: PaymentRequest }>(
    "/api/wallet/payments",
    { schema: PAY_SCHEMA },
    async ({ body }, reply) => answer(reply, async () => ({ hash: await wallet.pay(body) })),
  );
}

async function answer(reply: FastifyReply, act: () => Promise<object>): Promise<FastifyReply> {
  try {
    return reply.send(await act());
  } catch (error) {
    if (error instanceof PaymentRefused) return reply.code(400).send({ message: error.message });
    if (error instanceof NodeError) return reply.code(502).send({ message: error.message });
    throw error;
  }
}
