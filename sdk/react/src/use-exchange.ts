"use client";

import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Checkout, type ExchangeStatus, IDLE, type UseExchangeOptions } from "./checkout.ts";

export interface ExchangeHandle extends ExchangeStatus {
  /** Opens the checkout. Call it in the click. Does nothing while a checkout is open. */
  readonly open: () => void;
  /** Asks the checkout to close; it may ask the customer first. */
  readonly close: () => void;
}

const readIdle = (): ExchangeStatus => IDLE;

/** Loads exchange.js when the component mounts, and opens the checkout. Never throws or rejects. */
export function useExchange(options: UseExchangeOptions): ExchangeHandle {
  const [checkout] = useState(() => new Checkout(options));
  const status = useSyncExternalStore(checkout.subscribe, checkout.read, readIdle);
  const { baseUrl, clientId, env } = options;
  // Runs after every render and before the next click: a callback may change without a restart.
  useEffect(() => checkout.update(options));
  useEffect(() => checkout.attach(), [checkout, baseUrl, clientId, env]);
  return useMemo(
    () => ({ ...status, open: checkout.open, close: checkout.close }),
    [checkout, status],
  );
}
