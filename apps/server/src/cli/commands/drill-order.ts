import { randomUUID } from "node:crypto";
import type { CheckoutSession, OrderData, QuoteData } from "@exchange/contract";
import type { Exchange } from "@exchange/node";
import { callCheckout } from "../checkout-api.ts";
import { type Command, type CommandContext, type CommandInput, UsageError } from "../command.ts";
import { API_OPTIONS, apiUrlOf, openMerchantApi } from "../merchant-api.ts";
import { fields } from "../table.ts";

export const drillPlaceOrder: Command = {
  name: "drill place-order",
  summary: "Place one order of coins for coins, as a customer does, and print the address to pay.",
  options: {
    spend: {
      value: "REF",
      required: true,
      description: "The coin that you pay, such as usdt-ethereum.",
    },
    receive: { value: "REF", required: true, description: "The coin that you get, such as eth." },
    amount: { value: "AMOUNT", required: true, description: "Whole coins that you pay." },
    to: { value: "ADDRESS", required: true, description: "A wallet of yours that gets the coins." },
    "refund-to": {
      value: "ADDRESS",
      required: true,
      description: "A wallet of yours to which the payment may be returned.",
    },
    ...API_OPTIONS,
  },
  example:
    "drill place-order --spend usdt-ethereum --receive eth --amount 20 --to 0x52908400098527886E0F7030069857D2E4169EE7 --refund-to 0x52908400098527886E0F7030069857D2E4169EE7",
  run: async (context, input) => {
    const baseAmount = Number(input.required("amount"));
    if (!(baseAmount > 0 && baseAmount < Number.MAX_SAFE_INTEGER)) {
      throw new UsageError(
        `--amount must be whole coins such as 20 or 0.05, not "${input.required("amount")}".`,
      );
    }
    const order = await placeSwap(context, input, baseAmount);
    const { orderId, payment } = order;
    const instructions = payment.instructions;
    if (instructions?.type !== "crypto") throw new Error(`order ${orderId} has no address`);
    const { walletAddress, amount, currencyReference, networkName, paymentUri } = instructions;
    const text = fields({
      Order: String(orderId),
      Pay: `exactly ${amount} ${currencyReference} on ${networkName}`,
      To: walletAddress ?? "",
      "As a link": paymentUri ?? "",
      Until: new Date(instructions.expiresAt * 1_000).toISOString(),
    });
    return { json: { orderId, instructions }, text };
  },
};

/** Makes the calls of a merchant's server and of the popup, in their order. */
async function placeSwap(
  context: CommandContext,
  input: CommandInput,
  baseAmount: number,
): Promise<OrderData> {
  const api = openMerchantApi(context, input);
  const { accessToken } = await api.publicTokens.create({ sessionId: `drill-${randomUUID()}` });
  const baseUrl = apiUrlOf(input, context.variables);
  const call = <Data>(path: string, body?: object): Promise<Data> =>
    callCheckout<Data>(`${baseUrl}${path}`, accessToken, body);
  const { countryCode } = await call<CheckoutSession>("/checkout/session");
  const [spend, receive, method] = await choose(api, input, countryCode);
  const { quoteId } = await call<QuoteData>("/checkout/quotes", {
    operationType: "CC",
    baseCurrencyId: spend,
    baseAmount,
    targetCurrencyId: receive,
    paymentMethodId: method,
  });
  const { orderId } = await call<OrderData>("/checkout/orders", {
    quoteId,
    walletAddress: input.required("to"),
    refundAddress: input.required("refund-to"),
  });
  return call<OrderData>(`/checkout/orders/${orderId}/payments`, { type: "crypto" });
}

/** Returns the catalogue's ids of both coins and of the payment method. */
async function choose(
  api: Exchange,
  input: CommandInput,
  countryCode: string,
): Promise<readonly [spend: number, receive: number, method: number]> {
  const query = { operationType: "CC", countryCode } as const;
  const { cryptoCurrencies } = await api.currencies.list(query);
  const methods = await api.paymentMethods.list(query);
  const idOf = (option: "spend" | "receive"): number => {
    const reference = input.required(option);
    const item = cryptoCurrencies.find((one) => one.reference === reference);
    if (item) return item.id;
    throw new UsageError(
      `--${option} must be a coin that can be exchanged in ${countryCode}, such as eth or usdt-ethereum, not "${reference}".`,
    );
  };
  const method = methods.find(({ type }) => type === "crypto");
  if (method === undefined) throw new UsageError(`Coins cannot be paid in ${countryCode}.`);
  return [idOf("spend"), idOf("receive"), method.id];
}
