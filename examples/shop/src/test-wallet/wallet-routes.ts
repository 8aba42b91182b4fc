import type { FastifyInstance, FastifyReply } from "fastify";
import type { Settings } from "../settings.ts";
import { CoinWallet } from "./coin-wallet.ts";
import { type Chain, COINS, coinsOn } from "./coins.ts";
import { NodeError } from "./node.ts";
import { type ChainWallet, EtherWallet, PaymentRefused, type PaymentRequest } from "./wallet.ts";
import { renderNoWalletPage, renderWalletPage } from "./wallet-page.ts";

const text = { type: "string", maxLength: 200 } as const;
const PAY_SCHEMA = {
  body: {
    type: "object",
    required: ["coin", "amount", "to"],
    properties: { coin: text, amount: text, to: text },
  },
} as const;

/** The test wallets, if there is a test chain. Without one its page says how to get one. */
export async function walletRoutes(shop: FastifyInstance, settings: Settings) {
  const { testNode, testCoinNode } = settings;
  const page = testNode === undefined ? renderNoWalletPage() : renderWalletPage(coinsOn(settings));
  shop.get("/wallet", async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send(page),
  );
  if (testNode === undefined) return;
  const wallets = new Map<Chain, ChainWallet>([["ethereum", new EtherWallet(testNode)]]);
  if (testCoinNode !== undefined) wallets.set("litecoin", new CoinWallet(testCoinNode));
  const readAll = async () => ({
    wallets: await Promise.all([...wallets.values()].map((wallet) => wallet.read())),
  });
  const pay = async (payment: PaymentRequest) => {
    const chain = COINS.find(({ code }) => code === payment.coin)?.chain;
    const wallet = chain && wallets.get(chain);
    if (wallet === undefined) throw new PaymentRefused("Choose a coin.");
    return { hash: await wallet.pay(payment) };
  };
  shop.get("/api/wallet", async (_request, reply) => answer(reply, readAll));
  shop.post<{ Body: PaymentRequest }>(
    "/api/wallet/payments",
    { schema: PAY_SCHEMA },
    async ({ body }, reply) => answer(reply, () => pay(body)),
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
