import { STATUS_REASONS } from "../orders.ts";

// The closed lists of words that the console shows. It has a text for each member in every language. A new member
// without a text does not compile (`sayWord` of the console). The domain keeps unions of its own for kinds and
// states, because it imports no contract. The compiler compares them where an answer is made.

/** The reasons of statuses. A screening hit is `screening_hit` for the operator and `compliance` for merchants. */
export const ADMIN_REASONS = [...STATUS_REASONS, "screening_hit"] as const;
export type AdminReason = (typeof ADMIN_REASONS)[number];

export const PAYOUT_PURPOSES = ["payout", "refund", "excess_refund"] as const;
export const PAYOUT_STATES = ["created", "signed", "broadcast", "confirmed", "void"] as const;

/**
 * The causes for which a payout waits. Two approvals lift `approvals`, `screening_hit`, `hour_limit` and `day_limit`. The
 * `signer` holds a payout above its own limits until operators signed approvals. `rail` is a network, a bank or the signer,
 * which is asked again. Both say in `waitsFor` why.
 */
export const PAYOUT_WAITS = [
  "approvals",
  "screening_hit",
  "hour_limit",
  "day_limit",
  "payout_limit",
  "signer",
  "stop",
  "decision",
  "rail",
  "final_block",
] as const;
export type PayoutWaitCode = (typeof PAYOUT_WAITS)[number];

export const LEDGER_ACCOUNTS = [
  "card_processor",
  "bank_account",
  "customer_funds",
  "liquidity",
  "customer_payable",
  "payouts_in_flight",
  "refunds_in_flight",
  "chain_wallet",
  "network_fees",
  "house_capital",
  "suspense",
  "spread_revenue",
  "fee_revenue",
  "delivery_fee_revenue",
] as const;

/** The kinds of entries in the ledger. */
export const ENTRY_KINDS = [
  "capture",
  "deposit",
  "exchange",
  "payout_reserved",
  "payout",
  "payout_voided",
  "payout_lost",
  "refund_reserved",
  "refund",
  "refund_voided",
  "reversal",
  "network_fee",
  "float",
  "mismatch",
  "restored_capture",
  "restored_payout",
  "restored_deposit",
] as const;

/** The checks of the audit, each by the rule that it found broken. */
export const AUDIT_CHECKS = [
  "every entry balances",
  "every asset sums to zero",
  "a balance is the sum of its postings",
  "every entry has its reason",
  "everything that happened is booked",
  "an entry says what happened",
  "a reversal undoes its entry",
  "an order holds what its status says",
  "an order has the payout its status says",
  "what was received is what the rails made final",
  "refunds give back what came and no more",
  "an order is what its quote offered",
  "a session has one order",
  "a timeline tells every move",
  "an event is told once",
  "what the rail did we asked for",
  "what we booked the rail knows",
  "what is settled here is settled there",
  "what is settled there is not given up here",
  "the rail moves money once",
  "the rail moves what we say",
  "our books have what the chain has",
  "our wallets have what their movements explain",
  "only we spend from our wallets",
  "a settled payout is on its chain",
  "a payout moves what is owed",
  "what a completed order was paid stays paid",
  "a lost payout is paid again",
  "a paid payout is followed until it is final",
  "a final transaction of ours has its network fee",
  "a token says its balances",
  "the signer's log and the database agree",
] as const;
export type AuditCheck = (typeof AUDIT_CHECKS)[number];

/** The work that the service still has to do for an order. */
export const JOB_KINDS = [
  "authorize_payment",
  "capture_payment",
  "void_payment",
  "watch_payment",
  "exchange_order",
  "send_payout",
  "follow_payout",
  "expire_order",
  "end_price_offer",
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** The facts of an order by which a search finds it. */
export const FOUND_BY = [
  "order id",
  "session id",
  "quote id",
  "payout id",
  "payment id",
  "deposit id",
  "payment reference",
  "deposit address",
  "bank transfer received",
  "transaction received",
  "payout reference",
  "transaction sent",
  "destination address",
  "refund address",
  "e-mail",
  "customer reference",
  "last four digits of the card",
] as const;
export type FoundBy = (typeof FOUND_BY)[number];

/** The ways to make a change that the log of changes tells. */
export const CHANGE_WAYS = ["console", "command line", "service"] as const;

/** The actions in the log of changes. */
export const CONTROL_ACTIONS = [
  "stop",
  "agree_to_resume",
  "resume",
  "set_payout_limits",
  "remove_payout_limits",
  "approve_payout",
  "resolve_payout",
  "set_liquidity_limit",
  "remove_liquidity_limit",
  "set_treasury_limits",
  "adopt_line",
  "book_line",
  "book_float",
  "reconcile",
  "hold_order",
  "release_order",
  "refund_order",
  "approve_refund_address",
  "cancel_order",
  "take_order",
  "free_order",
  "note_order",
  "advance_clock",
  "accept_branch",
  "create_merchant",
  "update_merchant",
  "disable_merchant",
  "enable_merchant",
  "create_key",
  "revoke_key",
  "roll_key",
  "revoke_session_token",
  "revoke_order_page",
  "export_customer",
  "erase_customer",
  "add_webhook_endpoint",
  "remove_webhook_endpoint",
  "enable_webhook_endpoint",
  "disable_webhook_endpoint",
  "change_webhook_endpoint",
  "rotate_webhook_secret",
  "replay_webhooks",
  "test_webhook_endpoint",
  "invite_person",
  "create_service_account",
  "revoke_service_account",
  "accept_invitation",
  "change_person",
  "end_sessions",
  "sign_in",
  "sign_out",
  "add_passkey",
  "remove_passkey",
  "link_identity",
  "unlink_identity",
  "change_password",
  "forget_secret_key",
  "rewrap_secrets",
  "propose_price",
  "approve_price",
  "reject_price",
] as const;
export type ControlAction = (typeof CONTROL_ACTIONS)[number];
