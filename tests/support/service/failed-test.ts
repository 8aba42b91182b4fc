/** The error of a failed test, as a reporter reads it. */
interface FailedError {
  message: string;
  stack?: string | undefined;
}

/** Adds a text to the error of a failed test. Vitest prints the message, and its report in JSON has the stack instead. */
export function addToFailure(error: FailedError, text: string): void {
  error.message += text;
  if (error.stack !== undefined) error.stack += text;
}
