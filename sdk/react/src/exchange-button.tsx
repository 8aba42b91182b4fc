"use client";

import { type ComponentPropsWithoutRef, forwardRef, type MouseEvent } from "react";
import type { UseExchangeOptions } from "./checkout.ts";
import { useExchange } from "./use-exchange.ts";

type ButtonAttributes = Omit<
  ComponentPropsWithoutRef<"button">,
  keyof UseExchangeOptions | "type" | "aria-haspopup"
>;

/** The options of `useExchange`, and any attribute of a button. */
export interface ExchangeButtonProps extends UseExchangeOptions, ButtonAttributes {}

/**
 * A `<button>` that opens the checkout. Its `data-state` is the state, for a style sheet. While a
 * press waits for the script it is busy, and keeps the focus.
 */
export const ExchangeButton = forwardRef<HTMLButtonElement, ExchangeButtonProps>(
  function ExchangeButton(props, ref) {
    const [options, attributes] = splitProps(props);
    const { open, state, willOpen } = useExchange(options);
    const onClick = (event: MouseEvent<HTMLButtonElement>): void => {
      attributes.onClick?.(event);
      if (!event.defaultPrevented) open();
    };
    return (
      <button
        data-state={state}
        {...attributes}
        {...(willOpen ? { "aria-busy": true, "aria-disabled": true } : {})}
        type="button"
        aria-haspopup="dialog"
        ref={ref}
        onClick={onClick}
      />
    );
  },
);

const OPTIONS: Readonly<Record<keyof UseExchangeOptions, true>> = {
  baseUrl: true,
  clientId: true,
  env: true,
  nonce: true,
  authenticationToken: true,
  operationType: true,
  baseCurrency: true,
  targetCurrency: true,
  baseAmount: true,
  targetAmount: true,
  paymentMethod: true,
  walletAddress: true,
  locale: true,
  theme: true,
  appearance: true,
  container: true,
  display: true,
  returnUrl: true,
  history: true,
  onEvent: true,
  onOrderPlaced: true,
  onPending: true,
  onSuccess: true,
  onClose: true,
  onError: true,
};

function splitProps(props: ExchangeButtonProps): [UseExchangeOptions, ButtonAttributes] {
  const entries = Object.entries(props);
  const options = entries.filter(([name]) => Object.hasOwn(OPTIONS, name));
  const attributes = entries.filter(([name]) => !Object.hasOwn(OPTIONS, name));
  return [
    Object.fromEntries(options) as unknown as UseExchangeOptions,
    Object.fromEntries(attributes),
  ];
}
