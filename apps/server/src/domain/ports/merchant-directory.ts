export interface MerchantSettings {
  /** The origins whose pages may show the popup. */
  readonly allowedOrigins: readonly string[];
  readonly countryCode: string;
  /** The exchange that the popup begins with, unless the page or the session names another. */
  readonly defaults: MerchantDefaults;
  /** An image as a `data:` URL. */
  readonly logoUrl?: string;
  /** `#` and six hexadecimal digits. */
  readonly primaryColor?: string;
  readonly tokenLifetimeSeconds?: number;
}

export interface MerchantDefaults {
  /** A currency reference. */
  readonly baseCurrency: string;
  /** A currency reference. */
  readonly targetCurrency: string;
  /** Major units in fixed notation. It applies to the default currency only. */
  readonly baseAmount?: string;
  readonly targetAmount?: string;
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
  readonly scopes: readonly string[];
  /** By the real clock. Null: the key does not expire. */
  readonly expiresAt: Date | null;
  /** The networks that the key works from. Null: every address. */
  readonly networks: readonly string[] | null;
}

/** The current merchants and their active keys, in memory. */
export interface MerchantDirectory {
  merchant(id: string): Merchant | undefined;
  apiKey(keyId: string): ApiKey | undefined;
  /** The ids of all keys. */
  listKeyIds(): Iterable<string>;
}
