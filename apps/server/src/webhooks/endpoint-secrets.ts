import type { SecretBox } from "../domain/ports/secret-box.ts";
import type { ClaimedDelivery, ClaimedEndpoint } from "../storage/delivery-claims.ts";
import { webhookSecretPlace } from "../storage/webhook-endpoints.ts";
import type { SigningSecrets } from "./signatures.ts";

interface Opened {
  readonly sealed: ClaimedEndpoint;
  readonly secrets: SigningSecrets;
}

const OPENED_MAX = 1_000;

/**
 * Opens the secrets of endpoints, undefined where one does not open. They stay open for as long as the
 * endpoint's row says the same.
 */
export function makeOpener(
  box: SecretBox,
): (delivery: ClaimedDelivery) => SigningSecrets | undefined {
  const known = new Map<string, Opened>();
  return (delivery) => {
    const { endpoint } = delivery;
    const place = webhookSecretPlace(delivery);
    const found = known.get(place);
    if (found !== undefined && isSealedAlike(found.sealed, endpoint)) return found.secrets;
    const secrets = openSecrets(box, delivery);
    if (known.size >= OPENED_MAX) known.clear();
    if (secrets === undefined) known.delete(place);
    else known.set(place, { sealed: endpoint, secrets });
    return secrets;
  };
}

function isSealedAlike(one: ClaimedEndpoint, other: ClaimedEndpoint): boolean {
  if (one === other) return true;
  const [before, now] = [one.previousSecretSealed, other.previousSecretSealed];
  const isPreviousAlike =
    before === null || now === null ? before === now : Buffer.compare(before, now) === 0;
  return isPreviousAlike && Buffer.compare(one.secretSealed, other.secretSealed) === 0;
}

function openSecrets(box: SecretBox, delivery: ClaimedDelivery): SigningSecrets | undefined {
  const { secretSealed, previousSecretSealed } = delivery.endpoint;
  try {
    return {
      current: box.open(secretSealed, webhookSecretPlace(delivery)),
      previous:
        previousSecretSealed === null
          ? undefined
          : box.open(previousSecretSealed, webhookSecretPlace(delivery, "previous_secret_sealed")),
    };
  } catch {
    return undefined;
  }
}
