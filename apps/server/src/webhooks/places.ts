import type { ClaimedDelivery } from "../storage/delivery-claims.ts";

/** New, failing and slow endpoints never hold all places: the others go on whatever they do. */
const UNTRUSTED_SHARE = 0.5;
