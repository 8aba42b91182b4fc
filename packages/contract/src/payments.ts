import { type Static, Type } from "@sinclair/typebox";
import { CountryCodeText, literals, matching, named, nullable } from "./schema.ts";

/**
 * The customer's payment as a merchant's page needs it. `unpaid`: the customer has not paid yet, or their card is being
 * charged. `pending`: the order waits for money or for a person. `paid`: the money is certain. `declined`: a card
 * was refused and another may be tried. `failed`: the order ended without this money, or returned it.
 */
export const PAYMENT_OUTCOMES = ["unpaid", "pending", "paid", "declined", "failed"] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];

export const BillingAddress = Type.Object(
  {
    line1: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    city: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    postalCode: Type.String({
      maxLength: 20,
      description: "may be empty only where the country has no postal codes",
    }),
    countryCode: CountryCodeText,
  },
  { additionalProperties: false },
);

export const CardPaymentRequest = named(
  "CardPaymentRequest",
  Type.Object(
    {
      type: Type.Literal("card"),
      card: Type.Object(
        {
          number: matching(
            "^[0-9 -]+$",
            "the digits of the card, with spaces or hyphens between them",
            {
              minLength: 12,
              maxLength: 32,
            },
          ),
          expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
          expiryYear: Type.Integer({ minimum: 2000, maximum: 2099 }),
          cvv: matching("^[0-9]{3,4}$", "3 or 4 digits"),
          holderName: Type.String({ minLength: 1, maxLength: 100 }),
        },
        { additionalProperties: false },
      ),
      billingAddress: BillingAddress,
      frequency: Type.Literal("one_time"),
    },
    { additionalProperties: false },
  ),
);
export type CardPaymentRequest = Static<typeof CardPaymentRequest>;

export const BankTransferPaymentRequest = named(
  "BankTransferPaymentRequest",
  Type.Object({ type: Type.Literal("bank_transfer") }, { additionalProperties: false }),
);

export const CryptoPaymentRequest = named(
  "CryptoPaymentRequest",
  Type.Object({ type: Type.Literal("crypto") }, { additionalProperties: false }),
);

/**
 * Body of `POST /checkout/orders/{orderId}/payments`, discriminated by `type`. A card is charged;
 * the other types answer with payment instructions (completion, section 7).
 */
export const PaymentRequest = named(
  "PaymentRequest",
  Type.Unsafe<
    | CardPaymentRequest
    | Static<typeof BankTransferPaymentRequest>
    | Static<typeof CryptoPaymentRequest>
  >({
    type: "object",
    required: ["type"],
    properties: { type: { type: "string" } },
    discriminator: { propertyName: "type" },
    oneOf: [CardPaymentRequest, BankTransferPaymentRequest, CryptoPaymentRequest],
  }),
);
export type PaymentRequest = Static<typeof PaymentRequest>;

/** The same body where card numbers must not reach the service. */
export const InstructionsRequest = named(
  "InstructionsRequest",
  Type.Unsafe<Static<typeof BankTransferPaymentRequest> | Static<typeof CryptoPaymentRequest>>({
    type: "object",
    required: ["type"],
    properties: { type: { type: "string" } },
    discriminator: { propertyName: "type" },
    oneOf: [BankTransferPaymentRequest, CryptoPaymentRequest],
  }),
);

/** Body of `POST /checkout/cards`: a debit card that will receive a payout. */
export const CardTokenRequest = named(
  "CardTokenRequest",
  Type.Object({ card: CardPaymentRequest.properties.card }, { additionalProperties: false }),
);
export type CardTokenRequest = Static<typeof CardTokenRequest>;

/** The card as its processor stores it. The delivery method asks for `cardToken`. */
export const CardToken = named(
  "CardToken",
  Type.Object({
    cardToken: Type.String(),
    brand: Type.String(),
    lastFour: Type.String(),
  }),
);
export type CardToken = Static<typeof CardToken>;

/** EMV 3-D Secure result as the directory server reports it (EMVCo 3DS 2.2). */
export const ThreeDSecure = Type.Object({
  version: Type.String(),
  transStatus: literals(["Y", "A", "N", "U", "R", "C"]),
  flow: literals(["frictionless", "challenge"]),
  eci: nullable(Type.String()),
  authenticationValue: nullable(Type.String()),
  dsTransId: Type.String(),
  threeDSServerTransId: Type.String(),
  acsTransId: Type.String(),
});

/** The states of card payments. */
export const CARD_PAYMENT_STATES = [
  "processing",
  "challenge",
  "authorized",
  "captured",
  "declined",
  "authentication_failed",
  "failed",
  "voided",
] as const;

export const PaymentAttempt = named(
  "PaymentAttempt",
  Type.Object({
    number: Type.Integer(),
    status: literals(CARD_PAYMENT_STATES),
    brand: Type.String(),
    lastFour: Type.String(),
    declineReason: nullable(Type.String()),
    challengeUrl: nullable(
      Type.String({ description: "the issuer's page, while it checks the cardholder" }),
    ),
    threeDSecure: nullable(ThreeDSecure),
  }),
);
export type PaymentAttempt = Static<typeof PaymentAttempt>;

/** Where the customer sends the money of an order that no card pays. */
export const PaymentInstructions = named(
  "PaymentInstructions",
  Type.Object({
    type: literals(["bank_transfer", "crypto"]),
    amount: Type.Number({ description: "the exact amount, in the base currency" }),
    currencyCode: Type.String(),
    currencyReference: Type.String(),
    networkCode: nullable(Type.String()),
    networkName: nullable(Type.String({ description: "display name" })),
    walletAddress: nullable(Type.String({ description: "deposit address" })),
    memo: nullable(Type.String({ description: "memo or tag that must be sent with the address" })),
    paymentUri: nullable(Type.String({ description: "content of a QR code for a wallet" })),
    reference: nullable(Type.String({ description: "the reference text of a bank transfer" })),
    account: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
      description: "the bank account, line by line",
    }),
    confirmationsRequired: Type.Integer(),
    expiresAt: Type.Integer({ description: "Unix seconds; the rate holds until then" }),
  }),
);
export type PaymentInstructions = Static<typeof PaymentInstructions>;

export const DEPOSIT_STATES = ["seen", "final", "lost"] as const;

/** A bank transfer or coins that arrived for an order. */
export const Deposit = named(
  "Deposit",
  Type.Object({
    amount: Type.Number(),
    currencyCode: Type.String(),
    status: literals(DEPOSIT_STATES),
    confirmations: Type.Integer(),
    transactionHash: nullable(Type.String({ description: "null for a bank transfer" })),
    at: Type.Integer({ description: "Unix seconds" }),
  }),
);
export type Deposit = Static<typeof Deposit>;
