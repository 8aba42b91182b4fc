import type {
  PayoutIntent,
  PayoutPurpose,
  PayoutRailName,
  PayoutState,
  VoidReason,
} from "../../domain/payouts/payout-intent.ts";
import {
  bigInteger,
  boolean,
  bytes,
  integer,
  nullable,
  table,
  text,
  timestamp,
  units,
  uuid,
} from "../postgres/table.ts";

export const PAYOUT_INTENTS = table({
  id: uuid(),
  order_id: bigInteger(),
  merchant_id: text(),
  purpose: text<PayoutPurpose>(),
  rail: text<PayoutRailName>(),
  asset_id: integer(),
  units: units(),
  network_code: nullable(text()),
  address: nullable(text()),
  memo: nullable(text()),
  attempt_id: nullable(uuid()),
  deposit_id: nullable(uuid()),
  state: text<PayoutState>(),
  transaction_hash: nullable(text()),
  signed_bytes: nullable(bytes()),
  confirmations: integer(),
  settled_hash: nullable(text()),
  awaits_finality: boolean(),
  void_reason: nullable(text<VoidReason>()),
  released_at: nullable(timestamp()),
  euro_cents: bigInteger(),
  created_at: timestamp(),
  updated_at: timestamp(),
});

/** A payout as its order shows it. A process of the API cannot read signed bytes. */
export const SHOWN_PAYOUTS = PAYOUT_INTENTS.omit("signed_bytes");

export const toShownPayout = (row: unknown): PayoutIntent => ({
  ...SHOWN_PAYOUTS.read(row),
  signedBytes: null,
});
