import { EXCHANGE, ORDER, PAYMENT } from "./glossary-orders.ts";
import { type Glossary, means, shows } from "./schema.ts";

/**
 * The meaning of each field by its name, with an example of its value. A name has one meaning in the whole interface.
 * Where a word has several, its owner is written before it: the schema, or the field that holds the object. A
 * description in the schema itself comes first. Amounts are whole units of the currency beside them.
 */
const COMMON = {
  success: means("whether the call succeeded"),
  code: means("a word for the outcome, which is part of the interface", "OK"),
  message: means("a sentence for people; it may change", "There is no such order."),
  "ErrorBody.code": means("a word for the error, which is part of the interface", "NOT_FOUND"),
  requestId: means("the id of this request; quote it when you ask for help", "req-7f1c"),
  data: means("the result"),
  details: means("the problems of single fields"),
  path: shows("body.baseAmount"),
  issue: means("the problem of this field, for people", "must be a number"),
  min: means("the lowest amount", 15),
  max: means("the highest amount", 20000),
  amount: means("an amount in `currencyCode`", 100),
  currencyCode: means("the code of the currency", "EUR"),
  currencyReference: means("the currency with its network, such as usdt-tron", "btc"),
  countryCode: means("a country (ISO 3166-1 alpha-2) in any letter case", "DE"),
  name: means("the display name", "Visa or Mastercard"),
  label: means("the field's display name", "IBAN"),
  value: means("the value of the field, as people read it", "DE89 3704 0044 0532 0130 00"),
  reference: means("the permanent reference for use in calls", "sepa"),
  id: means("the number that calls use", 1),
  live: means("whether it can be used now"),
  time: means("the time that the delivery takes"),
  minDays: means("the days at least; null where it takes no days", 1),
  maxDays: means("the days at most; null where it takes no days", 2),
  paymentWindowSeconds: means(
    "the seconds for which an order waits for its payment by this method",
    259_200,
  ),
  email: means("the customer's e-mail address", "ada@example.org"),
  firstName: means("the first name", "Ada"),
  lastName: means("the last name", "Lovelace"),
  nextCursor: shows("eyJpZCI6MTA0Mn0"),
  createdAt: shows(1795392000),
  updatedAt: shows(1795392060),
  expiresAt: shows(1795392030),
  at: shows(1795392000),
} as const;

const CATALOGUE = {
  description: means("the currency's display name", "Bitcoin"),
  shortName: means("a shorter name; null if there is none", "USDT"),
  symbol: means("the sign of the currency", "€"),
  "CurrencyItem.code": means(
    "the code of the currency; currencies of several networks share it",
    "BTC",
  ),
  "CurrencyItem.reference": means(
    "the name of the currency with its network; null for a fiat currency",
    "usdt-tron",
  ),
  "merchant.name": means("the merchant's name", "My shop"),
  "CountryItem.name": means("the country's name in English", "Germany"),
  "requiredFields.name": means("the name of the field in `payout`", "iban"),
  requiredFields: means("the fields that the customer fills in to be paid out"),
  pattern: means(
    "a regular expression that the value matches",
    "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$",
  ),
  currencyCodes: means("the currencies that can be used; null for all"),
  deliveryMethods: means("the ways in which an order that is paid like this can be paid out"),
  includeDeliveryMethods: means("whether each payment method lists its delivery methods"),
  cryptoCurrencies: means("the coins, each on one network"),
  fiatCurrencies: means("the fiat currencies"),
  wallet: means("the saved wallet with this address; null if there is none"),
  walletId: means("the id of the wallet", 7),
  user: means("the customer who owns the wallet"),
  availableNetworks: means("the networks on which the address is valid"),
  requiresNetworkCode: means("whether `networkCode` must say which network is meant"),
} as const;

const SESSION = {
  "CheckoutSession.status": means("the status of the session's order; null before it was placed"),
  environment: means("the environment of this service", "dev"),
  scope: means("what the token may do", "order.create"),
  merchant: means("the merchant as customers see it"),
  logoUrl: means("the merchant's logo; null if it has none", "data:image/png;base64,…"),
  primaryColor: means("the colour of the merchant's buttons; null for the default", "#1a6cff"),
  defaults: means("the currencies that the checkout begins with"),
  returnUrl: means(
    "the page to which a redirected customer returns; null without one",
    "https://shop.example/done",
  ),
  locale: means("the language of the checkout (BCP 47); null for that of the browser", "de"),
  slippagePercent: shows(0.25),
  "operator.name": means("the operator's name", "Example Pay Ltd"),
  licence: means("the operator's licence or registration", "MSB registration M12345678, FINTRAC"),
  termsUrl: means("the page of the operator's terms", "https://pay.example.com/terms"),
  privacyUrl: means("the page of the operator's privacy policy", "https://pay.example.com/privacy"),
  helpUrl: means("the page or mailbox at which customers get help", "mailto:help@example.com"),
  riskNotice: means(
    "the operator's warning about the risk of coins, in plain text",
    "Prices of coins can fall. You may lose all of your money.",
  ),
  tokenType: means("how the token is sent", "Bearer"),
  jti: means("the id of the token", "019a3f0c-5d7e-7b2a-9c1d-4e5f60718293"),
  accessToken: shows("eyJhbGciOiJIUzI1NiJ9.…"),
} as const;

const WEBHOOK = {
  eventType: means("the event"),
  boundBy: shows("payment_method"),
  eventTypes: means("the events that the endpoint receives"),
  payload: means("the body of the webhook"),
  "WebhookPayload.details": means("the order as it was when the event happened"),
  "WebhookPayload.paymentMethod": means(
    "the payment method's display name",
    "Credit or debit card",
  ),
  "details.paymentMethod": means("the payment method's display name", "Credit or debit card"),
  url: means("the address that receives the webhooks", "https://shop.example/webhooks"),
  enabled: means("false disables the endpoint; its events wait"),
  endpointId: means(
    "the id of the endpoint; null for all of them",
    "019a3f0c-5d7e-7b2a-9c1d-4e5f60718293",
  ),
  disabledReason: means("why the endpoint is disabled; null while it is not"),
  disabledAt: means(
    "when the endpoint was disabled, in Unix seconds; null while it is not",
    1795392000,
  ),
  failingSince: means(
    "the first failure since the last success, in Unix seconds; null without one",
    1795392000,
  ),
  pausedUntil: means(
    "until when no request is sent after too many failures, in Unix seconds; null otherwise",
    1795392000,
  ),
  previousSecretUntil: means(
    "until when the secret before the last rotation signs too, in Unix seconds; null otherwise",
    1795392000,
  ),
  "WebhookDelivery.status": means("how far the delivery has come"),
  "WebhookDeliveryDetail.status": means("how far the delivery has come"),
  nextAttemptAt: means(
    "when it is posted next, in Unix seconds; null once it has ended",
    1795392000,
  ),
  "DeliveryAttempt.status": means("the status of the answer; null without an answer", 200),
  durationMs: means("the time until the answer, in milliseconds; null while it is awaited", 87),
  fault: means("why there was no answer that counts; null if there was one", "timeout"),
  "WebhookFault.fault": means("the fault that is planted"),
  plantedFault: means("the fault that was planted in the sandbox; null if there was none", "drop"),
  responseExcerpt: means("the beginning of the answer; null without one", "ok"),
  delaySeconds: means("the seconds of the delay; null for other faults", 5),
  dryRun: means("whether the deliveries were only counted"),
} as const;

/** Fields of the sandbox, and counts. */
const SANDBOX_AND_COUNTS = {
  advanceSeconds: shows(3600),
  businessTime: shows(1795392000),
  aheadSeconds: shows(3600),
  currency: shows("usdt-tron"),
  outcome: shows("approved"),
  note: shows("Payment captured"),
  received: shows(100),
  expiresIn: shows(1800),
  decimals: shows(8),
  startedAt: shows(1795392000),
  "DeliveryAttempt.number": shows(1),
  sequence: shows(42),
  eventId: shows("019a3f0c-5d7e-7b2a-9c1d-4e5f60718293"),
  attemptCount: shows(1),
  secret: shows("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  overlapSeconds: shows(86400),
  createdFrom: shows(1795392000),
  createdTo: shows(1795478400),
  matched: shows(12),
  replayed: shows(12),
  deliveries: shows(1),
  deliveriesLeft: shows(1),
} as const;

/** The schemas whose `id` is a UUID. Elsewhere an id is a number. */
const WITH_UUID = [
  "EventItem",
  "OrderRefund",
  "WebhookDelivery",
  "WebhookDeliveryDetail",
  "WebhookEndpointData",
  "WebhookEndpointWithSecret",
  "WebhookFault",
] as const;
const UUIDS: Glossary = Object.fromEntries(
  WITH_UUID.map((owner) => [`${owner}.id`, SANDBOX_AND_COUNTS.eventId]),
);

/** All entries, by name or by owner and name. */
export const GLOSSARY: Glossary = {
  ...COMMON,
  ...EXCHANGE,
  ...ORDER,
  ...PAYMENT,
  ...CATALOGUE,
  ...SESSION,
  ...WEBHOOK,
  ...SANDBOX_AND_COUNTS,
  ...UUIDS,
};
