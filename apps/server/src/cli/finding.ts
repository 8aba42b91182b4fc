import { Disagreement } from "../domain/ports/chain-reader.ts";
import { findMachineFault } from "../start/machine-faults.ts";

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

const TABLES_FIX = "Run: exchange migrate. It makes the tables, as a start of the service does.";

/** A check whose statement failed: the role lacks a right, or the tables are missing. */
export function unread(check: string, error: unknown): Finding {
  const { found, fix } = findMachineFault(error) ?? {
    found: (error as Error).message,
    fix: TABLES_FIX,
  };
  return bad(check, found, fix);
}

/** The words of one examination. Without `fix` it passed. */
export interface Examined {
  readonly found: string;
  readonly fix?: string;
}

/** Turns an examination into a finding. One that throws did not pass. */
export async function examined(check: string, examine: () => Promise<Examined>): Promise<Finding> {
  try {
    const { found, fix } = await examine();
    return fix === undefined ? good(check, found) : bad(check, found, fix);
  } catch (error) {
    const fix =
      error instanceof Disagreement
        ? "Start the nodes that it names, or correct their endpoints in the rails file."
        : "Mend this cause, and run doctor again.";
    return bad(check, (error as Error).message, findMachineFault(error)?.fix ?? fix);
  }
}
