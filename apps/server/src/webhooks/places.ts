import type { ClaimedDelivery } from "../storage/delivery-claims.ts";

/** New, failing and slow endpoints never hold all places: the others go on whatever they do. */
const UNTRUSTED_SHARE = 0.5;

/** The deliveries held, of which only a share may be for endpoints that are not trusted. */
export function makePlaces(total: number) {
  const trusted = new Set<ClaimedDelivery>();
  const untrusted = new Set<ClaimedDelivery>();
  const underWay = new Set<Promise<void>>();
  const untrustedMax = Math.ceil(total * UNTRUSTED_SHARE);
  const groupOf = ({ endpoint }: ClaimedDelivery) => (endpoint.isTrusted ? trusted : untrusted);
  return {
    take: (delivery: ClaimedDelivery): void => {
      groupOf(delivery).add(delivery);
    },
    /** Leaves the place when the work is done. */
    until: (delivery: ClaimedDelivery, work: Promise<void>): Promise<void> => {
      const done = work.then(() => {
        groupOf(delivery).delete(delivery);
        underWay.delete(done);
      });
      underWay.add(done);
      return done;
    },
    free: () => ({
      deliveriesMax: total - trusted.size - untrusted.size,
      untrustedMax: untrustedMax - untrusted.size,
    }),
    /** Resolves when those under way by now have ended. */
    empty: () => Promise.all(underWay),
  };
}
