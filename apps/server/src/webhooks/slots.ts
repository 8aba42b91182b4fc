import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";

/**
 * The share of the slots that new, failing and slow endpoints may hold together. The rest stays free for the others.
 */
const UNTRUSTED_SHARE = 0.5;

/**
 * Makes the slots of one process: `total` deliveries may be under way at once. Endpoints that are not trusted have a
 * share of them.
 */
export function makeSlots(total: number) {
  let trusted = 0;
  let untrusted = 0;
  const untrustedMax = Math.ceil(total * UNTRUSTED_SHARE);
  let onEmpty = (): void => {};
  const count = ({ endpoint }: ClaimedDelivery, by: 1 | -1): void => {
    if (endpoint.isTrusted) trusted += by;
    else untrusted += by;
  };
  return {
    take: (delivery: ClaimedDelivery): void => count(delivery, 1),
    /** Frees the slot of a delivery. Call it once for each delivery that was taken. */
    leave: (delivery: ClaimedDelivery): void => {
      count(delivery, -1);
      if (trusted + untrusted === 0) onEmpty();
    },
    free: () => ({
      deliveriesMax: total - trusted - untrusted,
      untrustedMax: untrustedMax - untrusted,
    }),
    /** Resolves when no delivery is held. */
    empty: (): Promise<void> =>
      trusted + untrusted === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onEmpty = resolve;
          }),
  };
}
