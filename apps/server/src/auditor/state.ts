/** What one auditor keeps from pass to pass. Times of this process are `performance.now()`. */
export interface AuditorState {
  readonly token: string;
  /** The adding up of all postings, which goes on beside the looks; settled when none is under way. */
  books: Promise<void>;
  booksAtMs: number;
  /** Whoever adds up gives up. */
  stopping: boolean;
  railsAtMs: number;
  /** What was booked before it was compared with the rails. */
  railsWatermark: string | undefined;
  /** When their statements were asked for last, by the real clock. */
  railsSeenAt: Date;
}

export const newAuditor = (token: string, now: Date): AuditorState => ({
  token,
  books: Promise.resolve(),
  booksAtMs: 0,
  stopping: false,
  railsAtMs: 0,
  railsWatermark: undefined,
  railsSeenAt: now,
});
