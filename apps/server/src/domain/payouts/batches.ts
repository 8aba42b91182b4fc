/** How payouts of a network share transactions. */
export interface BatchRules {
  /** The time that a payout waits for others. With 0, only payouts that are released together share a transaction. */
  readonly seconds: number;
  /** The most payouts in one transaction. */
  readonly outputsMax: number;
}

interface Output {
  readonly address: string;
  readonly units: bigint;
}

/** A payout that was released and has no send. */
export interface WaitingPayout extends Output {
  readonly intentId: string;
  readonly networkCode: string;
  /** The lost send that it was in. Payouts that were lost together are paid together. */
  readonly lostWith: string | null;
}

/** A send that payouts may still join. */
export interface JoinableSend {
  readonly id: string;
  readonly networkCode: string;
  readonly lostWith: string | null;
  readonly outputs: readonly Output[];
}

/** A payout, and the send that it is bound to. */
export interface JoinedPayout extends Pick<WaitingPayout, "intentId" | "networkCode"> {
  readonly sendId: string;
}

/**
 * Chooses a send for each payout: one that others are in where there is room, or a new one. The chain names a payment
 * by its address and amount, so two payouts that have both in common never share a send. Payouts of lost sends must
 * exclude the old transactions, and would hold up others.
 */
export function joinPayouts(
  payouts: readonly WaitingPayout[],
  sends: readonly JoinableSend[],
  { outputsMax, newId }: { outputsMax(networkCode: string): number; newId(): string },
): readonly JoinedPayout[] {
  const open = sends.map(({ outputs, ...send }) => ({ ...send, outputs: [...outputs] }));
  return payouts.map((payout) => {
    const { intentId, networkCode, lostWith } = payout;
    let send = open.find(
      (one) =>
        one.networkCode === networkCode &&
        one.lostWith === lostWith &&
        one.outputs.length < outputsMax(networkCode) &&
        !one.outputs.some((other) => isSame(other, payout)),
    );
    if (!send) {
      send = { id: newId(), networkCode, lostWith, outputs: [] };
      open.push(send);
    }
    send.outputs.push(payout);
    return { intentId, networkCode, sendId: send.id };
  });
}

const isSame = (one: Output, other: Output): boolean =>
  one.units === other.units && one.address.toLowerCase() === other.address.toLowerCase();
