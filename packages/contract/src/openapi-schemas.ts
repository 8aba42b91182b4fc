import type { TSchema } from "@sinclair/typebox";
import {
  CountryItem,
  CurrencyItem,
  DeliveryMethodItem,
  ExchangeCurrencies,
  PaymentMethodItem,
} from "./catalogue.ts";
import { CheckoutSession } from "./checkout.ts";
import { ErrorBody } from "./envelopes.ts";
import { EventItem } from "./events.ts";
import { ExchangeLimits } from "./exchange-limits.ts";
import { OperationType } from "./operation-types.ts";
import {
  OrderData,
  OrderRefund,
  OrderStatus,
  PlaceOrderRequest,
  RefundAddressRequest,
  RefundRequest,
  StatusReason,
} from "./orders.ts";
import {
  BankTransferPaymentRequest,
  CardPaymentRequest,
  CardToken,
  CardTokenRequest,
  CryptoPaymentRequest,
  Deposit,
  PaymentAttempt,
  PaymentInstructions,
  PaymentRequest,
} from "./payments.ts";
import { CheckoutQuoteRequest, QuoteData, QuoteRequest } from "./quotes.ts";
import {
  AdvanceClockRequest,
  AdvanceOrderRequest,
  SandboxClock,
  SandboxDeposit,
  SandboxDepositRequest,
} from "./sandbox.ts";
import { SessionData } from "./sessions.ts";
import { CreateTokenRequest, Customer, PublicToken, SessionId, SessionLock } from "./tokens.ts";
import { Wallet, WalletLookupResult, WalletRequest } from "./wallets.ts";
import { WebhookFault } from "./webhook-faults.ts";
import {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpointData,
  WebhookEndpointWithSecret,
} from "./webhook-management.ts";
import { WebhookPayload } from "./webhooks.ts";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Schemas that get a name in the document; all others are written where they are used. */
const NAMED = {
  AdvanceClockRequest,
  AdvanceOrderRequest,
  BankTransferPaymentRequest,
  CardPaymentRequest,
  CardToken,
  CardTokenRequest,
  CheckoutQuoteRequest,
  CheckoutSession,
  CountryItem,
  CreateTokenRequest,
  CryptoPaymentRequest,
  CurrencyItem,
  Customer,
  DeliveryAttempt,
  DeliveryMethodItem,
  Deposit,
  ErrorBody,
  EventItem,
  ExchangeCurrencies,
  ExchangeLimits,
  OperationType,
  OrderData,
  OrderRefund,
  OrderStatus,
  PaymentAttempt,
  PaymentInstructions,
  PaymentMethodItem,
  PaymentRequest,
  PlaceOrderRequest,
  PublicToken,
  QuoteData,
  QuoteRequest,
  RefundAddressRequest,
  RefundRequest,
  SandboxClock,
  SandboxDeposit,
  SandboxDepositRequest,
  SessionData,
  SessionId,
  SessionLock,
  StatusReason,
  Wallet,
  WalletLookupResult,
  WalletRequest,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpointData,
  WebhookEndpointWithSecret,
  WebhookFault,
  WebhookPayload,
} as const satisfies Record<string, TSchema>;

export interface SchemaBook {
  /** The schema as the document writes it: named parts become references. */
  refer(schema: TSchema): Json;
  /** Every named schema that something refers to. */
  definitions(): Readonly<Record<string, Json>>;
}

/** Schemas are recognised by their text: an optional member is a copy of the schema it wraps. */
export function makeSchemaBook(): SchemaBook {
  const names = new Map(
    Object.entries(NAMED).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const used = new Map<string, Json>();
  const write = (value: Json): Json => {
    const name = isObject(value) ? names.get(JSON.stringify(value)) : undefined;
    if (name === undefined) return writeMembers(value);
    if (!used.has(name)) {
      used.set(name, null);
      used.set(name, writeMembers(value));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const writeMembers = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(write);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, write(member)]));
  };
  return {
    refer: (schema) => write(JSON.parse(JSON.stringify(schema)) as Json),
    definitions: () =>
      Object.fromEntries([...used].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
