/**
 * Runs a function of the page. An error in it is reported to the console and must not break the
 * checkout.
 */
export function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}
