import type { SecretBox } from "../domain/ports/secret-box.ts";
import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import { webhookSecretPlace } from "../storage/webhooks/endpoints.ts";
import { makeSigningKey, type SigningKeys } from "./signatures.ts";

/** Opens the secrets of a delivery's endpoint into its signing keys; undefined if one does not open. */
export function openSigningKeys(
  box: SecretBox,
  delivery: ClaimedDelivery,
): SigningKeys | undefined {
  const { secretSealed, previousSecretSealed } = delivery.endpoint;
  const previousPlace = webhookSecretPlace(delivery, "previous_secret_sealed");
  try {
    return {
      current: makeSigningKey(box.open(secretSealed, webhookSecretPlace(delivery))),
      ...(previousSecretSealed && {
        previous: makeSigningKey(box.open(previousSecretSealed, previousPlace)),
      }),
    };
  } catch {
    return undefined;
  }
}
