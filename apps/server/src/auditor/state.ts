/** The state that one auditor keeps between passes. Due times are by `performance.now()`. */
export interface AuditorState {
  readonly token: string;
  /** The check of all postings that runs beside the passes. Settled when none is running. */
  ledgerCheck: Promise<void>;
  ledgerCheckDueMs: number;
  /** Ends a running ledger check. */
  stopping: boolean;
  railsDueMs: number;
  /** Everything booked before this watermark has been compared with the rails. */
  railsWatermark: string | undefined;
  /** When the rails' statements were last requested, by the real clock. */
  railsComparedAt: Date;
}

export const newAuditor = (token: string, now: Date): AuditorState => ({
  token,
  ledgerCheck: Promise.resolve(),
  ledgerCheckDueMs: 0,
  stopping: false,
  railsDueMs: 0,
  railsWatermark: undefined,
  railsComparedAt: now,
});
