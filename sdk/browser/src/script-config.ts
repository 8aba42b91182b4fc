/** The environment names of the interface. */
export type ScriptEnvironment = "dev" | "staging" | "prod";

/** The query of the script's address, parsed: what `configure` would be called with. */
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
 * What the service embeds in exchange.js for one merchant. It is public: never put a secret in it.
 */
export interface ScriptConfig {
  readonly sdkVersion: string;
  readonly environment: ScriptEnvironment;
  /** Absolute address of the checkout page, without query or hash. */
  readonly checkoutUrl: string;
  readonly merchantName: string;
  /** Without a client in a pinned script, which `configure` tells. */
  readonly options: Partial<ScriptOptions>;
}

/** Stands in the template, inside one string literal, where the configuration goes. */
export const CONFIG_PLACEHOLDER = "__EXCHANGE_CONFIG__";
