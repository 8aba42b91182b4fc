import { createHmac, timingSafeEqual } from "node:crypto";
import { request } from "undici";
import type { IdSource } from "../../domain/ports/id-source.ts";
import type {
  CallbackMessage,
  CallbackSubject,
  ProviderCallback,
  ProviderCallbacks,
} from "../../domain/ports/provider-callbacks.ts";

/** The service answers a callback within a second. */
const SEND_TIMEOUT_MS = 5_000;
/** How far the time of a signature may be from ours, in both directions. */
const TOLERANCE_SECONDS = 300;
const SIGNATURE_HEADER = "sandbox-signature";

/** The secrets that sign callbacks, the newest first, and the place that they are sent to. */
export interface CallbackLine {
  readonly secrets: readonly Uint8Array[];
  readonly publicUrl: string;
  readonly ids: IdSource;
}

/** Posts a callback to the service. It never waits and never fails: a provider's callback may be lost. */
export type SendCallback = (subject: CallbackSubject) => void;

/** Loses every callback. */
export const SEND_NONE: SendCallback = () => {};

const signatureOf = (secret: Uint8Array, seconds: number, body: Uint8Array): Buffer =>
  createHmac("sha256", secret).update(`${seconds}.`).update(body).digest();

/** Returns the header of a signed body, as `t=<seconds>,v1=<hex>`. */
export function signCallback(secret: Uint8Array, body: Uint8Array, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  return `t=${seconds},v1=${signatureOf(secret, seconds, body).toString("hex")}`;
}

/** Sends callbacks as the sandbox's processor and bank, over HTTP to the service's own address. */
export function makeSendCallback({ secrets, publicUrl, ids }: CallbackLine): SendCallback {
  const [secret] = secrets;
  if (secret === undefined) return SEND_NONE;
  return (subject) => {
    const body = Buffer.from(JSON.stringify({ id: `evt_${ids.uuid()}`, about: subject }));
    const sent = request(`${publicUrl}/rails/sandbox/callbacks`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        [SIGNATURE_HEADER]: signCallback(secret, body, new Date()),
      },
      body,
      // An open connection would delay the end of the service.
      reset: true,
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    void sent.then((answer) => answer.body.dump()).catch(() => {});
  };
}

/** Reads the sandbox's own callbacks. */
export const sandboxCallbacks = (
  secrets: readonly Uint8Array[],
  now: () => Date = () => new Date(),
): ProviderCallbacks => ({
  read: (message) => (isSigned(message, secrets, now()) ? readBody(message.body) : undefined),
});

function isSigned(
  { headers, body }: CallbackMessage,
  secrets: readonly Uint8Array[],
  now: Date,
): boolean {
  const header = headers[SIGNATURE_HEADER];
  const [, text, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(header)) ?? [];
  if (text === undefined || hex === undefined) return false;
  const seconds = Number(text);
  if (Math.abs(now.getTime() / 1_000 - seconds) > TOLERANCE_SECONDS) return false;
  const signature = Buffer.from(hex, "hex");
  return secrets.some((secret) => timingSafeEqual(signatureOf(secret, seconds, body), signature));
}

const KINDS: readonly string[] = [
  "payment",
  "payout",
  "deposit",
] satisfies CallbackSubject["kind"][];

/** A signed body in another form is an event that we do not know. */
function readBody(body: Uint8Array): ProviderCallback {
  try {
    const { id, about } = JSON.parse(Buffer.from(body).toString("utf8"));
    const isOurs = KINDS.includes(about?.kind) && typeof about.reference === "string";
    const subjects = isOurs ? [{ kind: about.kind, reference: about.reference }] : [];
    return { eventId: typeof id === "string" ? id : null, subjects };
  } catch {
    return { eventId: null, subjects: [] };
  }
}
