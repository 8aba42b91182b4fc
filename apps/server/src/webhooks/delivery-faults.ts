import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";
import type { Post, Poster, PostOutcome } from "./poster.ts";

/**
 * A fault that the sandbox plants into one attempt, so that a merchant sees how its receiver behaves.
 * Every change it makes is an optional property: a fault without any sends the webhook as it is.
 */
export interface DeliveryFault {
  readonly kind: string;
  /** Holds the delivery back instead of sending it now. */
  readonly postpone?: { readonly delaySeconds: number; readonly outOfOrder: boolean };
  /** Returns the time that the attempt claims to be made at. */
  readonly signedAt?: (now: Date) => Date;
  readonly alterHeaders?: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  readonly post?: (poster: Poster, post: Post) => Promise<PostOutcome>;
}

/** The planted faults of a sandbox. A dispatcher without them sends every webhook as it is. */
export interface DeliveryFaults {
  /** Looks up, once a claim, which of the deliveries' merchants have planted a fault. */
  look(claimed: readonly ClaimedDelivery[]): Promise<void>;
  /** Takes the oldest fault that fits the delivery; undefined if none fits. */
  take(delivery: ClaimedDelivery): Promise<DeliveryFault | undefined>;
}
