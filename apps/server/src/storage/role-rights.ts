import { SHOWN_PAYOUTS } from "./payouts/table.ts";
import { PRICE_CHANGE_COLUMNS } from "./prices/approved-changes.ts";

/** The roles of the service in its database, after the processes that connect with them. */
export const SERVICE_ROLES = ["api", "worker"] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** The privileges on one table, as `grant` takes them. An empty text grants nothing. */
export type TableRights = Readonly<Record<ServiceRole, string>>;

const ALL = "select, insert, update, delete";
const PUT = "select, insert, update";
const ADD = "select, insert";
const READ = "select";
/** Rows that others insert, and that a worker removes when their time is over. */
const CLEAR = "select, update, delete";
const NONE = "";

/** An order's columns that a request may set. Status, version, price and payment method are guarded by triggers. */
const ORDER_OF_REQUEST = `status, status_reason, card_attempts, quote_id, receive_units, refund_address,
  refund_memo, requested_refund_address, requested_refund_memo, version, updated_at, held_from,
  payment_expires_at, payment_method_id`;

/**
 * The rights of each role to each table of the schema `public`. A test compares the names with the schema, so a new
 * table needs a row here. The operator's commands connect as the worker's role. The API has no rights to write money:
 * its refunds go through the function `owe_refunds`
 * (docs/decisions/0064-give-the-api-a-database-role-of-its-own.md).
 */
export const TABLE_RIGHTS: Readonly<Record<string, TableRights>> = {
  // The installation and its catalogue
  migrations: { api: READ, worker: READ },
  installation: { api: READ, worker: ADD },
  key_checks: { api: READ, worker: "select, insert, delete" },
  history: { api: "select, update (mark)", worker: "select, update" },
  config_version: { api: "select, update", worker: "select, update" },
  networks: { api: READ, worker: PUT },
  currencies: { api: READ, worker: PUT },
  payment_methods: { api: READ, worker: PUT },
  delivery_methods: { api: READ, worker: PUT },
  countries: { api: READ, worker: PUT },
  pricing_rules: { api: READ, worker: PUT },
  price_changes: { api: `select (${PRICE_CHANGE_COLUMNS})`, worker: PUT },

  // Merchants and their browsers

  // A right to a column is needed to lock the row while a merchant adds a webhook endpoint.
  merchants: { api: "select, update (created_at)", worker: PUT },
  api_keys: { api: READ, worker: PUT },
  api_key_addresses: { api: ALL, worker: ALL },
  api_requests: { api: "select, insert", worker: ALL },
  // The console counts attempts to sign in.
  rate_windows: { api: PUT, worker: ALL },
  idempotency_keys: { api: ALL, worker: CLEAR },
  sessions: { api: PUT, worker: CLEAR },
  data_keys: { api: ALL, worker: ALL },
  wallets: { api: ALL, worker: CLEAR },
  quotes: { api: PUT, worker: CLEAR },
  open_orders: { api: ALL, worker: "select, delete" },

  // Orders and the money that customers pay
  orders: { api: `select, insert, update (${ORDER_OF_REQUEST})`, worker: "select, update" },
  revoked_order_pages: { api: ADD, worker: ADD },
  refund_address_approvals: { api: NONE, worker: ADD },
  // An order that leaves review has no reviewer, whoever moves it.
  order_reviewers: { api: "select (order_id), delete", worker: "select, insert, delete" },
  mails: { api: ADD, worker: ALL },
  order_moves: { api: READ, worker: READ },
  order_events: { api: ADD, worker: ADD },
  jobs: { api: "select, insert, update (run_at, hurried)", worker: ALL },
  payment_attempts: {
    api: `select, insert (id, order_id, merchant_id, number, card_token, brand, last_four, asset_id,
      units, billing_sealed)`,
    worker: PUT,
  },
  payment_instructions: { api: ADD, worker: ADD },
  deposits: { api: READ, worker: PUT },
  // A repetition is found by its key. The API does not read the bodies back.
  provider_callbacks: {
    api: "select (provider, event_key, received_at), insert",
    worker: CLEAR,
  },

  // Payouts and what is signed
  payout_intents: { api: `select (${SHOWN_PAYOUTS.names})`, worker: PUT },
  payout_releases: { api: NONE, worker: PUT },
  payout_mismatches: { api: NONE, worker: PUT },
  payout_resolutions: { api: NONE, worker: PUT },
  payout_approval_signatures: { api: NONE, worker: ADD },
  payout_approvals: { api: NONE, worker: ADD },
  payout_hit_approvals: { api: NONE, worker: ADD },
  payout_waits: { api: NONE, worker: ALL },
  payout_limits: { api: NONE, worker: ALL },
  liquidity_limits: { api: READ, worker: ALL },
  treasury_limits: { api: READ, worker: ALL },
  live_networks: { api: READ, worker: ALL },
  wallet_balances: { api: NONE, worker: PUT },
  stock_claims: { api: NONE, worker: ALL },
  unswept_deposits: { api: NONE, worker: ALL },
  stops: { api: READ, worker: ALL },
  stop_resumes: { api: READ, worker: ALL },
  chain_wallets: { api: NONE, worker: PUT },
  chain_sends: { api: NONE, worker: PUT },
  chain_send_outputs: { api: NONE, worker: PUT },
  chain_transactions: { api: NONE, worker: ADD },
  chain_cursors: { api: NONE, worker: PUT },
  chain_blocks: { api: NONE, worker: ALL },
  chain_addresses: {
    api: `select, insert (network_code, reference, account_fingerprint, key_index, address,
      watched_until)`,
    worker: PUT,
  },
  chain_fee_rates: { api: READ, worker: PUT },
  chain_fee_terms: { api: NONE, worker: ALL },
  chain_coins: { api: NONE, worker: PUT },
  chain_wallet_movements: { api: NONE, worker: PUT },
  chain_books: { api: NONE, worker: PUT },
  chain_unbooked: { api: NONE, worker: ALL },
  chain_silent_assets: { api: NONE, worker: ALL },
  chain_movements: { api: NONE, worker: PUT },
  chain_pending: { api: NONE, worker: ALL },

  // The books and their audit
  ledger_accounts: { api: READ, worker: ADD },
  ledger_entries: { api: READ, worker: ADD },
  ledger_postings: { api: READ, worker: ADD },
  ledger_fold: { api: READ, worker: ALL },
  ledger_balances: { api: READ, worker: ALL },
  ledger_days: { api: NONE, worker: ALL },
  audit_progress: { api: NONE, worker: PUT },
  audit_breaks: { api: NONE, worker: PUT },
  operator_alerts: { api: NONE, worker: ALL },
  operator_alert_messages: { api: NONE, worker: ALL },
  restored_lines: { api: NONE, worker: ADD },
  control_log: { api: NONE, worker: ADD },

  // People with accounts. The console's process has the worker's role, and the API knows none of them.
  people: { api: NONE, worker: PUT },
  passkeys: { api: NONE, worker: ALL },
  recovery_codes: { api: NONE, worker: ALL },
  invitations: { api: NONE, worker: ALL },
  invitation_mails: { api: NONE, worker: ALL },
  person_sessions: { api: NONE, worker: ALL },
  passkey_challenges: { api: NONE, worker: ALL },
  person_identities: { api: NONE, worker: ALL },
  service_accounts: { api: NONE, worker: PUT },
  provider_sign_ins: { api: NONE, worker: ALL },

  // Webhooks
  events: { api: PUT, worker: ALL },
  event_feeds: { api: PUT, worker: PUT },
  webhook_endpoints: { api: PUT, worker: PUT },
  webhook_endpoint_log: { api: ADD, worker: ADD },
  deliveries: { api: ALL, worker: ALL },
  pending_deliveries: { api: ALL, worker: ALL },
  delivery_leases: { api: NONE, worker: ALL },
  past_attempts: { api: READ, worker: ADD },
  delivery_attempts: { api: READ, worker: READ },
};

/** The rights to each sequence that is not of an identity column, by name. The API cannot set one back. */
export const SEQUENCE_RIGHTS: Readonly<Record<string, TableRights>> = {
  business_clock_offset: { api: "select", worker: "select" },
  chain_key_index: { api: "usage", worker: "usage" },
  events_sequence_seq: { api: "usage", worker: "usage" },
  order_numbers: { api: "usage", worker: "usage, select, update" },
};

/** The sandbox's books are a rehearsal world, which its endpoints and its rails write. */
export const SANDBOX_RIGHTS = ALL;

/** Functions that run with the rights of the tables' owner. Both roles may call them, and nobody else. */
export const DEFINER_FUNCTIONS = [
  "advance_business_clock(double precision)",
  "declare_restored(text, bigint)",
  "guard_stock(jsonb)",
  "owe_refunds(jsonb)",
  "stock_on_hand(integer)",
  "stock_promised(integer, bigint)",
] as const;

/** Functions of this kind that workers alone may call. */
export const WORKER_FUNCTIONS = ["lock_ledger_entries()"] as const;
