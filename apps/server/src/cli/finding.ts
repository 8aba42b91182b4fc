/** The result of one check of `exchange doctor`. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** Says what to do. Absent when the check passed. */
  readonly fix?: string;
}

export const good = (check: string, found: string): Finding => ({ check, ok: true, found });

export const bad = (check: string, found: string, fix: string): Finding => ({
  check,
  ok: false,
  found,
  fix,
});
