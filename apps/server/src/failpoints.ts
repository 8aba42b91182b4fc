/**
 * Names the places where a crash must lose nothing. With `EXCHANGE_FAILPOINT=<name>` in a sandbox
 * the process kills itself when it reaches that place, as `kill -9` would; otherwise this does
 * nothing.
 */
let armed: string | undefined;

/** Arms one failpoint for the life of the process. Called by `main.ts` only, never in prod. */
export function armFailpoint(name: string | undefined): void {
  armed = name;
}

export function failpoint(name: Failpoint): void {
  if (armed === name) process.kill(process.pid, "SIGKILL");
}

export const FAILPOINTS = [
  "order.before_place",
  "order.after_place",
  "payment.before_start",
  "payment.after_start",
  "payment.before_authorize",
  "payment.after_authorize",
  "payment.after_authorize_recorded",
  "payment.before_capture",
  "payment.after_capture",
  "payment.after_capture_recorded",
  "payout.before_sign",
  "payout.after_sign",
  "payout.after_sign_recorded",
  "payout.after_broadcast",
  "payout.after_broadcast_recorded",
  "payout.before_complete",
  "payout.after_complete",
  "webhook.before_post",
  "webhook.after_post",
  "webhook.after_record",
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];
