/** Runs what the page gave us. Its mistake belongs in its console and must not break the checkout. */
export function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}
