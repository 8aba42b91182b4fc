import type {
  CheckoutOrderData,
  Deposit,
  OperationType,
  PaymentInstructions,
} from "@exchange/contract";
import { BITCOIN_ADDRESS, nowSeconds, orderQuote } from "./answers.ts";

type Payment = CheckoutOrderData["payment"];
type Attempt = NonNullable<Payment["attempt"]>;

const HASH = "9f2c41d0be6a7750c3ab1e64fd0c5a2f4e1db7708862c93c4ad8e35b6f07a1de";
const ACCOUNT = [
  { label: "Account holder", value: "Exchange Sandbox" },
  { label: "IBAN", value: "DE89 3704 0044 0532 0130 00" },
  { label: "BIC (SWIFT code)", value: "COBADEFFXXX" },
];

interface Change extends Partial<Omit<CheckoutOrderData, "payment" | "delivery">> {
  readonly payment?: Partial<Payment>;
  readonly delivery?: Partial<CheckoutOrderData["delivery"]>;
}

/** A purchase by card, changed where a picture cares. */
export const cardOrder = (change: Change = {}): CheckoutOrderData =>
  order({ operation: "B", spend: 100, type: "card" }, change);

/** A purchase by bank transfer, waiting for it. */
export const bankOrder = (change: Change = {}): CheckoutOrderData =>
  order(
    { operation: "B", spend: 100, type: "bank_transfer" },
    { ...change, payment: { instructions: instructions("bank_transfer"), ...change.payment } },
  );

/** A sale of coins, waiting for them. */
export const coinOrder = (change: Change = {}): CheckoutOrderData =>
  order(
    { operation: "S", spend: 0.01, type: "crypto" },
    {
      ...change,
      payment: { instructions: instructions("crypto"), ...change.payment },
      delivery: {
        type: "bank_transfer",
        walletAddress: null,
        networkCode: null,
        fields: [
          { name: "accountHolder", label: "Account holder's full name", value: "Ada Lovelace" },
          { name: "iban", label: "IBAN", value: "•••• 3000" },
        ],
        ...change.delivery,
      },
    },
  );

/** The own page of every order of the pictures. */
const CUSTOMER_URL = "https://pay.example.com/o/AAA4tE7m3f8Kq2Zr5uVw9xYb1cD4eF6gH7iJ0kL2mN3";

interface Kind {
  readonly operation: OperationType;
  readonly spend: number;
  readonly type: string;
}

function order({ operation, spend, type }: Kind, change: Change): CheckoutOrderData {
  const quote = orderQuote(operation, spend);
  return {
    orderId: 482_193_077_215,
    sessionId: "cart-1",
    status: "awaiting_payment",
    statusReason: null,
    fulfilled: false,
    operationType: operation,
    paymentMethod: "Credit or debit card",
    totalPrice: spend,
    totalPriceCurrency: quote.spend.currencyCode,
    exchangeDetails: {
      baseCurrency: quote.spend.currencyCode,
      amountReceived: spend,
      targetCurrency: quote.receive.currencyCode,
      amountToSend: quote.receive.amount,
      operationType: operation,
    },
    quote,
    refunds: [],
    refundAddress: null,
    requestedRefundAddress: null,
    timeline: [],
    customerUrl: CUSTOMER_URL,
    createdAt: nowSeconds,
    updatedAt: nowSeconds,
    ...change,
    payment: {
      type,
      outcome: "unpaid",
      attemptsLeft: 5,
      expiresAt: nowSeconds + 1_800,
      attempt: null,
      instructions: null,
      received: 0,
      deposits: [],
      ...change.payment,
    },
    delivery: {
      type: "on_chain",
      walletAddress: BITCOIN_ADDRESS,
      networkCode: "bitcoin",
      memo: null,
      transactionHash: null,
      explorerUrl: null,
      confirmations: 0,
      confirmationsRequired: 2,
      reference: null,
      fields: [],
      ...change.delivery,
    },
  };
}

/** The newest try to pay by card. */
export const attempt = (status: Attempt["status"], change: Partial<Attempt> = {}) => ({
  attemptsLeft: 4,
  attempt: {
    number: 1,
    status,
    brand: "visa",
    lastFour: "2701",
    declineReason: null,
    challengeUrl: null,
    threeDSecure: null,
    ...change,
  },
});

export const instructions = (
  type: PaymentInstructions["type"],
  change: Partial<PaymentInstructions> = {},
): PaymentInstructions => {
  const isBank = type === "bank_transfer";
  return {
    type,
    amount: isBank ? 100 : 0.01,
    currencyCode: isBank ? "EUR" : "BTC",
    currencyReference: isBank ? "eur" : "btc",
    networkCode: isBank ? null : "bitcoin",
    networkName: isBank ? null : "Bitcoin",
    walletAddress: isBank ? null : BITCOIN_ADDRESS,
    memo: null,
    paymentUri: isBank ? null : `bitcoin:${BITCOIN_ADDRESS}?amount=0.01`,
    reference: isBank ? "EX-482193077215" : null,
    account: isBank ? ACCOUNT : [],
    confirmationsRequired: isBank ? 0 : 3,
    expiresAt: nowSeconds + (isBank ? 432_000 : 1_740),
    ...change,
  };
};

export const deposit = (change: Partial<Deposit> = {}): Deposit => ({
  amount: 0.01,
  currencyCode: "BTC",
  status: "seen",
  confirmations: 1,
  transactionHash: HASH,
  at: nowSeconds,
  ...change,
});

/** Coins on their way to the customer. */
export const sent = {
  transactionHash: HASH,
  explorerUrl: `https://explorer.example/tx/${HASH}`,
} as const;
