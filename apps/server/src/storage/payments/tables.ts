import type { ThreeDSecureResult } from "../../domain/ports/card-processor.ts";
import {
  bigInteger,
  integer,
  json,
  nullable,
  table,
  text,
  timestamp,
  units,
  uuid,
} from "../postgres/table.ts";
import type { PaymentAttemptStatus } from "./attempts.ts";
import type { Deposit, DepositState } from "./deposits.ts";
import type { PaymentInstruction } from "./instructions.ts";

export const PAYMENT_ATTEMPTS = table({
  id: uuid(),
  order_id: bigInteger(),
  number: integer(),
  card_token: text(),
  brand: text(),
  last_four: text(),
  asset_id: integer(),
  units: units(),
  status: text<PaymentAttemptStatus>(),
  decline_reason: nullable(text()),
  challenge_url: nullable(text()),
  three_d_secure: nullable(json<ThreeDSecureResult>()),
});

export const DEPOSITS = table({
  id: uuid(),
  order_id: bigInteger(),
  rail: text<Deposit["rail"]>(),
  external_id: text(),
  asset_id: integer(),
  units: units(),
  state: text<DepositState>(),
  confirmations: integer(),
  block_hash: nullable(text()),
  created_at: timestamp(),
});

export const PAYMENT_INSTRUCTIONS = table({
  order_id: bigInteger(),
  rail: text<PaymentInstruction["rail"]>(),
  asset_id: integer(),
  units: units(),
  network_code: nullable(text()),
  address: nullable(text()),
  memo: nullable(text()),
  reference: text(),
  account: json<PaymentInstruction["account"]>(),
});
