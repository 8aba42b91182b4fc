import type { CheckoutOptions } from "@exchange/contract/frame";

const STORAGE_KEY = "exchange.draft";

/** The options of the page that choose something in the customer's place. */
const EXCHANGE_OPTIONS: (keyof CheckoutOptions)[] = [
  "operationType",
  "baseCurrency",
  "targetCurrency",
  "baseAmount",
  "targetAmount",
  "paymentMethod",
  "walletAddress",
];

/** The stored choices of this window. They survive a reload, and no exit from the checkout. */
export interface DraftStorage {
  /** Names the options of the page. Choices that began with other options are not read: the page wants another exchange. */
  openFor(options: CheckoutOptions): void;
  read(): string | undefined;
  /** Stores the choices in place of the earlier ones, or removes them. */
  write(text: string | undefined): void;
}

/** A window that blocks its storage has none, and loses the choices with a reload. */
export function openDraftStorage(memory: Storage | undefined): DraftStorage {
  let prefix = "";
  return {
    openFor(options) {
      prefix = `${JSON.stringify(options, EXCHANGE_OPTIONS)}\n`;
    },
    read() {
      const stored = memory?.getItem(STORAGE_KEY);
      return stored?.startsWith(prefix) ? stored.slice(prefix.length) : undefined;
    },
    write(text) {
      if (text === undefined) return memory?.removeItem(STORAGE_KEY);
      try {
        memory?.setItem(STORAGE_KEY, prefix + text);
      } catch {
        // The storage is full.
      }
    },
  };
}
