import type { LoggedControlChange } from "../../storage/audit/control-log.ts";
import type { DeliveredOrder } from "../../storage/payouts/first-payouts.ts";

/** A stop of a network's payouts that people set and lifted. */
export interface StopWindow {
  readonly stoppedBy: string;
  /** The last other person who agreed to resume, or the one who stopped it. */
  readonly resumedBy: string;
  readonly from: Date;
  readonly to: Date;
  /** Two people, with two names and two accounts of the system. */
  readonly isOfTwo: boolean;
}

/** Returns the stops that have ended, the earliest first. `changes` are those of the stop's subject, the latest first. */
export function windowsOf(changes: readonly LoggedControlChange[]): readonly StopWindow[] {
  const windows: StopWindow[] = [];
  let stop: LoggedControlChange | undefined;
  let agreed: LoggedControlChange[] = [];
  for (const change of [...changes].reverse()) {
    if (change.action === "stop") [stop, agreed] = [change, []];
    agreed.push(change);
    if (change.action !== "resume" || stop === undefined) continue;
    const { person, account, at } = stop;
    const other = agreed.findLast((one) => one.person !== person && one.account !== account);
    windows.push({
      stoppedBy: person,
      resumedBy: other?.person ?? change.person,
      from: at,
      to: change.at,
      isOfTwo: other !== undefined,
    });
    stop = undefined;
  }
  return windows;
}

/**
 * How a payout came to be released. `held`: it waited under a stop that two people set and lifted. `alone`: one
 * person did both. `free`: no stop held it. `open`: it is not released yet.
 */
export type Release =
  | { readonly how: "held" | "alone"; readonly window: StopWindow }
  | { readonly how: "free" | "open" };

export function releaseOf(order: DeliveredOrder, windows: readonly StopWindow[]): Release {
  const { payoutCreatedAt, releasedAt } = order;
  if (releasedAt === null || payoutCreatedAt === null) return { how: "open" };
  const window = windows.findLast(({ to }) => payoutCreatedAt <= to && to <= releasedAt);
  if (window === undefined) return { how: "free" };
  return { how: window.isOfTwo ? "held" : "alone", window };
}

export interface ChosenOrder {
  readonly order: DeliveredOrder;
  readonly release: Release;
}

/**
 * Chooses the order of the drill: the first one whose payout waited under a stop of two people, else the first one that
 * is not released. `unfit` is the last payout that was released in another way.
 */
export function chooseOrder(
  orders: readonly DeliveredOrder[],
  windows: readonly StopWindow[],
): { readonly chosen: ChosenOrder | undefined; readonly unfit: ChosenOrder | undefined } {
  const judged = orders.map((order) => ({ order, release: releaseOf(order, windows) }));
  const firstThat = (how: Release["how"]) => judged.find(({ release }) => release.how === how);
  const unfit = judged.findLast(({ release }) => release.how === "free" || release.how === "alone");
  return { chosen: firstThat("held") ?? firstThat("open"), unfit };
}
