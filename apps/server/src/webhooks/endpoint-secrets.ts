import type { SecretBox } from "../domain/ports/secret-box.ts";
import type { ClaimedDelivery, ClaimedEndpoint } from "../storage/webhooks/claims.ts";
import { webhookSecretPlace } from "../storage/webhooks/endpoints.ts";
import { makeSigningKey, type SigningKey, type SigningKeys } from "./signatures.ts";

interface Opened {
  readonly sealed: ClaimedEndpoint;
  readonly keys: SigningKeys;
}

const OPENED_MAX = 1_000;

/**
 * Opens the secrets of endpoints into the keys that sign, undefined where one does not open. They stay
 * open for as long as the endpoint's row says the same.
 */
export function makeOpener(box: SecretBox): (delivery: ClaimedDelivery) => SigningKeys | undefined {
  const known = new Map<string, Opened>();
  return (delivery) => {
    const { endpoint } = delivery;
    const place = webhookSecretPlace(delivery);
    const found = known.get(place);
    if (found !== undefined && isSealedAlike(found.sealed, endpoint)) return found.keys;
    const keys = openKeys(box, delivery);
    if (known.size >= OPENED_MAX) known.clear();
    if (keys === undefined) known.delete(place);
    else known.set(place, { sealed: endpoint, keys });
    return keys;
  };
}

function isSealedAlike(one: ClaimedEndpoint, other: ClaimedEndpoint): boolean {
  if (one === other) return true;
  const [before, now] = [one.previousSecretSealed, other.previousSecretSealed];
  const isPreviousAlike =
    before === null || now === null ? before === now : Buffer.compare(before, now) === 0;
  return isPreviousAlike && Buffer.compare(one.secretSealed, other.secretSealed) === 0;
}

function openKeys(box: SecretBox, delivery: ClaimedDelivery): SigningKeys | undefined {
  const open = (sealed: Uint8Array, place: string): SigningKey =>
    makeSigningKey(box.open(sealed, place));
  const { secretSealed: current, previousSecretSealed: previous } = delivery.endpoint;
  try {
    return {
      current: open(current, webhookSecretPlace(delivery)),
      ...(previous !== null && {
        previous: open(previous, webhookSecretPlace(delivery, "previous_secret_sealed")),
      }),
    };
  } catch {
    return undefined;
  }
}
