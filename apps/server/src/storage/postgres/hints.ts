/** Tells listeners of a channel that there is something to look for. */
export type Hint = (channel: string) => void;

/** Hints that come closer together than this become one. */
const HINT_EVERY_MS = 20;

/**
 * Hints of what was committed, told after the commit: a notification inside a database transaction
 * would let only one of them commit at a time. One that is lost costs a poll.
 */
export function makeHinter(notify: (channel: string) => Promise<unknown>): Hint {
  /** Channels that were told of just now, and whether there was more since. */
  const quiet = new Map<string, boolean>();
  const tell = (channel: string): void => {
    quiet.set(channel, false);
    void notify(channel).catch(() => {});
    setTimeout(() => {
      const isDue = quiet.get(channel) === true;
      quiet.delete(channel);
      if (isDue) tell(channel);
    }, HINT_EVERY_MS).unref();
  };
  return (channel) => {
    if (quiet.has(channel)) quiet.set(channel, true);
    else tell(channel);
  };
}
