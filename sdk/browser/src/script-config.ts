import type { PanelTexts } from "./panel-texts.ts";

/** The environment names of the interface. */
export type ScriptEnvironment = "dev" | "staging" | "prod";

/** The parsed query of the script's address: the same options as those of `configure`. */
export interface ScriptOptions {
  readonly clientId: string;
  readonly env: ScriptEnvironment;
  readonly baseCurrency?: string;
  readonly targetCurrency?: string;
  readonly baseAmount?: number;
  readonly targetAmount?: number;
  readonly paymentMethod?: string;
  readonly walletAddress?: string;
}

/**
 * The configuration that the service embeds in exchange.js for one merchant. It is public: never
 * put a secret in it.
 */
export interface ScriptConfig {
  readonly sdkVersion: string;
  readonly environment: ScriptEnvironment;
  /** Absolute address of the checkout page, without query or hash. */
  readonly checkoutUrl: string;
  /** In the language of the customer's browser, and English in a pinned script. */
  readonly texts: PanelTexts;
  /** A pinned script has no client; the page names it with `configure`. */
  readonly options: Partial<ScriptOptions>;
}

/** Placeholder for the configuration in the template, inside one string literal. */
export const CONFIG_PLACEHOLDER = "__EXCHANGE_CONFIG__";
