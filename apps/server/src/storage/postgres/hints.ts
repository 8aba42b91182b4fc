/** Notifies the listeners of a channel that there is work. */
export type Hint = (channel: string) => void;

/** Hints of one channel that come within this time become one. */
const HINT_INTERVAL_MS = 20;

/**
 * Sends hints after the commit. With a notification inside them, database transactions could commit only one
 * at a time. A hint that is lost delays its listener until the next poll.
 */
export function makeHinter(notify: (channel: string) => Promise<unknown>): Hint {
  /** Channels that were notified within the interval, and whether another hint came since. */
  const recent = new Map<string, boolean>();
  const send = (channel: string): void => {
    recent.set(channel, false);
    void notify(channel).catch(() => {});
    setTimeout(() => {
      const isDue = recent.get(channel) === true;
      recent.delete(channel);
      if (isDue) send(channel);
    }, HINT_INTERVAL_MS).unref();
  };
  return (channel) => {
    if (recent.has(channel)) recent.set(channel, true);
    else send(channel);
  };
}
