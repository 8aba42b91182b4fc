import { createExchange, ExchangeError } from "@exchange/node";

const exchange = createExchange({
  baseUrl: process.env["EXCHANGE_URL"] ?? "",
  apiKey: process.env["EXCHANGE_API_KEY"] ?? "",
  clientId: process.env["EXCHANGE_CLIENT_ID"] ?? "",
});

/** The public token your page gives to `window.exchange.init`; undefined when the cart is paid. */
export async function tokenFor(cart: { id: string; total: number }): Promise<string | undefined> {
  try {
    const token = await exchange.publicTokens.create({
      sessionId: `cart-${cart.id}`,
      // A browser cannot change locked values.
      lock: { operationType: "B", baseCurrency: "cad", baseAmount: cart.total },
    });
    return token.accessToken;
  } catch (error) {
    if (error instanceof ExchangeError && error.code === "SESSION_ALREADY_USED") return undefined;
    throw error;
  }
}
