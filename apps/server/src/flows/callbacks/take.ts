import { createHash } from "node:crypto";
import type { CallbackMessage } from "../../domain/ports/provider-callbacks.ts";
import { failpoint } from "../../failpoints.ts";
import { storeCallback } from "../../storage/callbacks/inbox.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** An id or reference in another form is not one that a row of ours has. A row stores the hash of such an id. */
const PLAIN = /^[\x20-\x7e]{1,150}$/;
/** A callback that names more rows hurries the first ones. The jobs of the others look in their own time. */
const SUBJECTS_MAX = 100;

type TakingDeps = Pick<Deps, "callbacks" | "database" | "secrets">;

export interface TakeCallback extends CallbackMessage {
  readonly provider: string;
  /** Called once the signature is verified, before anything is stored. It may refuse. */
  readonly admit: () => void;
}

/**
 * Stores a provider's callback and hurries the jobs that look at what it names. The job asks the provider and records
 * what that says: the callback itself is not believed. Refuses NOT_FOUND for an unknown provider, and UNAUTHORIZED for
 * a callback that the provider did not sign. Neither is stored.
 */
export async function takeCallback(
  { callbacks, database, secrets }: TakingDeps,
  { provider, admit, ...message }: TakeCallback,
): Promise<void> {
  const source = callbacks.get(provider);
  if (!source) throw new Refusal("NOT_FOUND");
  const callback = source.read(message);
  if (!callback) {
    throw new Refusal("UNAUTHORIZED", {
      message: `The signature of this callback is missing, too old or not that of ${provider}. Sign the exact bytes with the current secret, and check the clock.`,
      logged: { provider },
    });
  }
  admit();
  const { body } = message;
  const eventKey = eventKeyOf(callback.eventId, body);
  const boundTo = `provider_callbacks:${provider}:${eventKey}:body`;
  failpoint("callback.before_store");
  await storeCallback(database, {
    provider,
    eventKey,
    subjects: callback.subjects
      .filter(({ reference }) => PLAIN.test(reference))
      .slice(0, SUBJECTS_MAX),
    bodySealed: secrets.seal(Buffer.from(body).toString("base64"), boundTo),
  });
  failpoint("callback.after_store");
}

/** Returns the natural key of a callback: a repetition has the same. */
function eventKeyOf(eventId: string | null, body: Uint8Array): string {
  if (eventId !== null && PLAIN.test(eventId)) return `id:${eventId}`;
  return `sha256:${createHash("sha256")
    .update(eventId ?? body)
    .digest("hex")}`;
}
