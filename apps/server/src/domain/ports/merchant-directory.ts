export interface MerchantSettings {
  /** The origins whose pages may show the popup. */
  readonly allowedOrigins: readonly string[];
  readonly countryCode: string;
  /** Currency references. */
  readonly defaults: { readonly baseCurrency: string; readonly targetCurrency: string };
  readonly logoUrl?: string;
  readonly primaryColor?: string;
  readonly tokenLifetimeSeconds?: number;
}

export interface Merchant {
  /** The client id. */
  readonly id: string;
  readonly name: string;
  readonly settings: MerchantSettings;
}

/** An active API key. Only its SHA-256 digest is stored. */
export interface ApiKey {
  readonly id: string;
  readonly merchantId: string;
  readonly digest: Uint8Array;
}

/** The current merchants and their active keys, in memory. */
export interface MerchantDirectory {
  merchant(id: string): Merchant | undefined;
  apiKey(keyId: string): ApiKey | undefined;
}
