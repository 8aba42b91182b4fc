/** A transaction that no block has. */
interface Unmined {
  /** The rail has the newest bytes. */
  readonly isKnown: boolean;
  /** The transaction waits longer than usual. */
  readonly isStuck: boolean;
}

interface Ways {
  /** Signs and sends a version with a higher fee. Returns false where none is signed now. */
  raise(): Promise<boolean>;
  /** Sends the newest bytes again. */
  resend(): Promise<void>;
}

/**
 * Raises the fee of a stuck transaction. Otherwise sends one again that the rail does not have. A signer that refuses a
 * higher fee, or does not answer, does not prevent that. The nodes may have dropped the transaction, and its fee may be
 * enough by now. Throws what failed, or both failures as one error.
 */
export async function raiseOrResend(
  { isKnown, isStuck }: Unmined,
  { raise, resend }: Ways,
): Promise<void> {
  const failures: Error[] = [];
  const note = (error: Error): false => {
    failures.push(error);
    return false;
  };
  const isRaised = isStuck && (await raise().catch(note));
  if (!isRaised && !isKnown) await resend().catch(note);
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new AggregateError(failures, failures.map(({ message }) => message).join("; "));
}
