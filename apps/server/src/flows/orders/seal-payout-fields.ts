import type { SecretBox } from "../../domain/ports/secret-box.ts";
import type { PayoutFields } from "./check-payout-fields.ts";

const boundTo = (orderId: bigint): string => `orders.payout:${orderId}`;

/** Seals account numbers with a key outside the database. The sealed text is bound to its order. */
export const sealPayoutFields = (
  secrets: SecretBox,
  orderId: bigint,
  fields: PayoutFields,
): Uint8Array => secrets.seal(JSON.stringify(fields), boundTo(orderId));

/** Throws when the key is missing or the row was changed. */
export const openPayoutFields = (
  secrets: SecretBox,
  order: { readonly id: bigint; readonly payoutSealed: Uint8Array },
): PayoutFields => JSON.parse(secrets.open(order.payoutSealed, boundTo(order.id))) as PayoutFields;
