import { WEBHOOK_LIMITS } from "@exchange/contract";
import type { Operator } from "../../domain/operators/operator.ts";
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { recordEndpointLog } from "../../storage/webhooks/endpoint-log.ts";
import {
  lockWebhookSecrets,
  rotateWebhookSecret as rotate,
  webhookSecretPlace,
} from "../../storage/webhooks/endpoints.ts";
import type { Deps } from "../deps.ts";
import type { AddedWebhookEndpoint } from "./add-endpoint.ts";
import { isUuid, noSuchEndpoint } from "./require-endpoint.ts";

export interface RotateWebhookSecret {
  readonly merchantId: string;
  readonly endpointId: string;
  /** The time that the previous secret also signs. A day when undefined; 0 ends it now. */
  readonly overlapSeconds?: number | undefined;
  /** The person in the console. Absent when the merchant's server rotates the secret. */
  readonly operator?: Operator | undefined;
}

/**
 * Creates a new secret for an endpoint and returns it in the clear, here and never again. A second
 * rotation within the overlap replaces the newer secret, so the secret that receivers were deployed
 * with stays valid for the overlap. Refuses NOT_FOUND.
 */
export async function rotateWebhookSecret(
  deps: Pick<Deps, "database" | "ids" | "secrets">,
  command: RotateWebhookSecret,
): Promise<AddedWebhookEndpoint> {
  if (!isUuid(command.endpointId)) throw noSuchEndpoint();
  const { overlapSeconds = WEBHOOK_LIMITS.secretOverlapSeconds } = command;
  const secret = formatWebhookSecret(deps.ids.bytes(WEBHOOK_SECRET_BYTES));
  const endpoint = await deps.database.transaction(async (tx) => {
    const sealed = await lockWebhookSecrets(tx, command);
    if (!sealed) throw noSuchEndpoint();
    const previousPlace = webhookSecretPlace(command, "previous_secret_sealed");
    const place = webhookSecretPlace(command);
    // Each secret is bound to its column, so the previous secret is sealed again.
    const previous = () =>
      sealed.previous ?? deps.secrets.seal(deps.secrets.open(sealed.current, place), previousPlace);
    const rotated = await rotate(tx, {
      ...command,
      secretSealed: deps.secrets.seal(secret, place),
      previousSealed: overlapSeconds === 0 ? null : previous(),
      overlapSeconds,
    });
    const detail = `overlap of ${overlapSeconds} seconds`;
    await recordEndpointLog(tx, { ...command, what: "secret_rotated", detail });
    if (command.operator) {
      await logControl(tx, {
        operator: command.operator,
        action: "rotate_webhook_secret",
        subject: command.endpointId,
        details: { client: command.merchantId, overlap: `${overlapSeconds} seconds` },
        before: null,
        after: null,
      });
    }
    return rotated;
  });
  if (!endpoint) throw noSuchEndpoint();
  return { endpoint, secret };
}
