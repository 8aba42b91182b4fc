/**
 * Names the places where a crash must lose nothing. With `EXCHANGE_FAILPOINT=<name>` in `dev`, the
 * process kills itself when it reaches that place, as `kill -9` would. Otherwise a failpoint does nothing.
 */
let armed: string | undefined;
let onReached: (name: Failpoint) => void = () => {};

/** Arms one failpoint. Called by `main.ts` and by crash tests only, never in prod. */
export function armFailpoint(name: string | undefined): void {
  armed = name;
}

/** Reports every failpoint that is reached from now on. Crash tests learn with it which ones a flow passes. */
export function watchFailpoints(report: (name: Failpoint) => void): void {
  onReached = report;
}

export function failpoint(name: Failpoint): void {
  onReached(name);
  if (armed === name) process.kill(process.pid, "SIGKILL");
}

export const FAILPOINTS = [
  "order.before_place",
  "order.after_place",
  "order.before_cancel",
  "order.after_cancel",
  "order.before_expire",
  "order.after_expire",
  "order.before_refund",
  "order.after_refund",
  "order.before_release",
  "order.after_release",
  "payment.before_start",
  "payment.after_start",
  "payment.before_authorize",
  "payment.after_authorize",
  "payment.after_authorize_recorded",
  "payment.before_capture",
  "payment.after_capture",
  "payment.after_capture_recorded",
  "payment.before_void",
  "payment.after_void",
  "payment.after_void_recorded",
  "instructions.before_ask",
  "instructions.after_ask",
  "instructions.after_record",
  "deposit.before_look",
  "deposit.after_look",
  "deposit.after_record",
  "callback.before_store",
  "callback.after_store",
  "exchange.before_screen",
  "exchange.after_screen",
  "exchange.after_record",
  "payout.before_hold",
  "payout.before_bind",
  "payout.after_bind",
  "payout.before_sign",
  "payout.after_sign",
  "payout.after_sign_recorded",
  "payout.after_broadcast",
  "payout.after_broadcast_recorded",
  "payout.before_complete",
  "payout.after_complete",
  "payout.before_reject",
  "payout.after_reject",
  "payout.before_replace",
  "payout.after_replace",
  "payout.after_replace_recorded",
  "hole.before_vacate",
  "hole.after_vacate",
  "hole.after_sign",
  "hole.after_store",
  "hole.after_broadcast",
  "hole.before_end",
  "hole.after_end",
  "send.after_coins",
  "send.after_split",
  "send.after_deadline",
  "send.after_request",
  "send.after_renewal",
  "send.after_raise",
  "send.before_plan_again",
  "send.after_plan_again",
  "send.before_final",
  "send.after_final",
  "send.before_lost",
  "send.after_lost",
  "sweep.before_bind",
  "sweep.after_bind",
  "sweep.after_ask",
  "sweep.after_sign",
  "sweep.after_store",
  "sweep.after_broadcast",
  "sweep.before_end",
  "sweep.after_end",
  "consolidation.before_bind",
  "consolidation.after_bind",
  "raise.after_terms",
  "raise.after_sign",
  "raise.after_store",
  "scan.before_commit",
  "scan.after_commit",
  "scan.before_back",
  "scan.after_final",
  "webhook.before_post",
  "webhook.after_post",
  "webhook.after_record",
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];
