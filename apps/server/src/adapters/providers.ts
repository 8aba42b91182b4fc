import { binance } from "./binance/venue.ts";
import { bitstamp } from "./bitstamp/venue.ts";
import { coinbase } from "./coinbase/venue.ts";
import { ecb } from "./ecb/reference.ts";
import { kraken } from "./kraken/venue.ts";
import type { ReferenceSource } from "./market/reference.ts";
import type { Venue } from "./market/venue.ts";

// The registered adapters. A rails file names them by their key. `conformance.test.ts` runs over all of them.

/** Trading venues, whose agreement is a price. */
export const VENUES = { kraken, coinbase, bitstamp, binance } satisfies Readonly<
  Record<string, Venue>
>;

/** Publishers of daily reference rates. */
export const REFERENCES = { ecb } satisfies Readonly<Record<string, ReferenceSource>>;
