// Quotes and one order a session, with time doing what providers and chains do.
import { CURRENCIES, PRICES } from "./mock-catalogue.mjs";

const seconds = () => Math.floor(Date.now() / 1000);
const round = (value, decimals) => Number(value.toFixed(decimals));
const all = [...CURRENCIES.fiatCurrencies, ...CURRENCIES.cryptoCurrencies];

export function makeQuote(world, body) {
  const base = all.find((item) => item.id === body.baseCurrencyId);
  const target = all.find((item) => item.id === body.targetCurrencyId);
  world.quotes += 1;
  const drift = world.scenario === "worse" ? 1 - world.quotes * 0.012 : 1;
  const rate = Number(((1 / PRICES[target.code]) * drift).toPrecision(12));
  const spend = body.baseAmount ?? round((body.targetAmount * 1.02) / rate, base.decimals);
  const gross = spend * rate;
  const percentage = round(gross * 0.015, 8);
  const network = round(gross * 0.003, 8);
  const receive = body.targetAmount ?? round(gross - percentage - network, target.decimals);
  const limits = { min: 20, max: 5000, currencyCode: base.code };
  if (spend < limits.min) return refusal("AMOUNT_BELOW_MINIMUM", limits);
  if (spend > limits.max) return refusal("AMOUNT_ABOVE_MAXIMUM", limits);
  const life = world.scenario === "worse" || world.scenario === "short" ? 8 : 30;
  return {
    spend: { amount: spend, currencyCode: base.code, currencyReference: base.reference },
    transactionFee: { amount: percentage, currencyCode: target.code },
    receive: { amount: receive, currencyCode: target.code, currencyReference: target.reference },
    delivery: {
      fee: { amount: network, currencyCode: target.code },
      time: { minDays: null, maxDays: null },
    },
    paymentMethod: { id: 1, name: "Card", reference: "card" },
    receivePaymentMethod: { id: 9, name: "Crypto", reference: "crypto" },
    rate,
    quoteId: `q${world.quotes}`,
    expiresAt: seconds() + life,
    limits,
    fees: [{ type: "percentage", amount: percentage, currencyCode: target.code }],
  };
}

const refusal = (code, limits) => ({
  error: 400,
  code,
  message: code,
  details: [{ path: "baseAmount", issue: code, ...limits, boundBy: "payment_method" }],
});

export function placeOrder(world, body) {
  world.order = {
    orderId: 482_193_077_215,
    sessionId: world.sessionId,
    status: "awaiting_payment",
    statusReason: null,
    fulfilled: false,
    operationType: "B",
    paymentMethod: "Card",
    totalPrice: world.quote.spend.amount,
    totalPriceCurrency: world.quote.spend.currencyCode,
    exchangeDetails: {},
    quote: world.quote,
    payment: {
      type: "card",
      attemptsLeft: 5,
      expiresAt: seconds() + 1800,
      attempt: null,
      instructions: null,
      received: 0,
      deposits: [],
    },
    delivery: {
      type: "on_chain",
      walletAddress: body.walletAddress,
      networkCode: body.networkCode ?? "bitcoin",
      memo: body.memo ?? null,
      transactionHash: null,
      explorerUrl: null,
      confirmations: 0,
      confirmationsRequired: 2,
      reference: null,
      fields: [],
    },
    refunds: [],
    refundAddress: null,
    metadata: {},
    timeline: [],
    createdAt: seconds(),
    updatedAt: seconds(),
  };
  world.placed += 1;
  return world.order;
}

export function payOrder(world, body) {
  const { number } = body.card;
  world.paidAt = Date.now();
  world.cardNumber = number;
  const { payment } = world.order;
  payment.attemptsLeft -= 1;
  payment.attempt = {
    number: (payment.attempt?.number ?? 0) + 1,
    status: "processing",
    brand: "visa",
    lastFour: number.slice(-4),
    declineReason: null,
    challengeUrl: null,
    threeDSecure: null,
  };
  world.order.status = "payment_pending";
  return world.order;
}

/** Moves the order to where it belongs by now. */
export function advance(world) {
  const { order } = world;
  if (!order?.payment.attempt || world.scenario.startsWith("fixed")) return order;
  const pace = world.scenario === "slow" ? 20 : 1;
  const age = (Date.now() - world.paidAt) / pace;
  const { attempt } = order.payment;
  order.updatedAt = seconds();
  if (age < 300) return order;
  if (world.cardNumber.endsWith("2503") && !world.challenged) {
    attempt.status = "challenge";
    attempt.challengeUrl = "/mock/challenge";
    return order;
  }
  const bad = { "0002": "declined", 2370: "authentication_failed" }[world.cardNumber.slice(-4)];
  if (bad) {
    attempt.status = bad;
    order.status = "awaiting_payment";
    order.statusReason = bad === "declined" ? "card_declined" : "three_ds_failed";
    return order;
  }
  attempt.status = "captured";
  order.status = age < 1500 ? "processing" : age < 3000 ? "sending" : "completed";
  if (age >= 1500) {
    order.delivery.transactionHash =
      "9f2c41d0be6a7750c3ab1e64fd0c5a2f4e1db7708862c93c4ad8e35b6f07a1de";
    order.delivery.explorerUrl = "https://explorer.example/tx/9f2c";
  }
  order.fulfilled = order.status === "completed";
  return order;
}
