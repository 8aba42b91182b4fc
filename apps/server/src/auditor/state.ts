/** The state that one auditor keeps between passes. Due times are by `performance.now()`. */
export interface AuditorState {
  readonly token: string;
  /** Whether the lease was this process's when it last claimed or renewed it. */
  holdsLease: boolean;
  /** The check of all postings that runs beside the passes. Settled when none is running. */
  ledgerCheck: Promise<void>;
  ledgerCheckDueMs: number;
  /** Ends a running ledger check. */
  stopping: boolean;
  railsDueMs: number;
}

export const newAuditor = (token: string): AuditorState => ({
  token,
  holdsLease: false,
  ledgerCheck: Promise.resolve(),
  ledgerCheckDueMs: 0,
  stopping: false,
  railsDueMs: 0,
});
