"use client";

export type { ExchangeState, ExchangeStatus, UseExchangeOptions } from "./checkout.ts";
export type {
  AuthenticationToken,
  CheckoutEvent,
  CheckoutResult,
  CheckoutSnapshot,
  ExchangeEnvironment,
  OpenOptions,
} from "./exchange-api.ts";
export { ExchangeButton, type ExchangeButtonProps } from "./exchange-button.tsx";
export type { ExchangeError, ExchangeErrorCode } from "./exchange-error.ts";
export { type ExchangeHandle, useExchange } from "./use-exchange.ts";
