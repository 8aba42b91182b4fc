import type { ClaimedDelivery } from "../storage/webhooks/claims.ts";

/** New, failing and slow endpoints never hold all places: the others go on whatever they do. */
const UNTRUSTED_SHARE = 0.5;

/** Counts the deliveries held, of which only a share may be for endpoints that are not trusted. */
export function makePlaces(total: number) {
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
    /** Once for each that was taken. */
    leave: (delivery: ClaimedDelivery): void => {
      count(delivery, -1);
      if (trusted + untrusted === 0) onEmpty();
    },
    free: () => ({
      deliveriesMax: total - trusted - untrusted,
      untrustedMax: untrustedMax - untrusted,
    }),
    /** Resolves when nothing is held any more. */
    empty: (): Promise<void> =>
      trusted + untrusted === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onEmpty = resolve;
          }),
  };
}
