import type { Asset } from "@exchange/money";
import type { Break } from "../../domain/ledger/audit-facts.ts";
import type { AccountPurpose, EntryKind } from "../../domain/ledger/entry.ts";
import type { Actor, OrderStatus, StatusReason } from "../../domain/orders/status.ts";
import type { JobKind } from "../../domain/orders/transition.ts";
import type { DepositState } from "../../domain/payments/deposit.ts";
import type { PaymentAttemptStatus } from "../../domain/payments/payment-attempt.ts";
import type { PayoutPurpose, PayoutState } from "../../domain/payouts/payout-intent.ts";
import type { QuoteEvidence } from "../../domain/quotes/quote.ts";
import { WAIT_JSON, type WaitRow } from "../payouts/waits.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import type { DeliveryStatus } from "../webhooks/delivery-views.ts";
import { isPendingOf } from "../webhooks/pending-deliveries.ts";

/** An amount as it is stored, in units of an asset. */
export interface StoryAmount {
  readonly assetId: number;
  readonly units: string;
}

/**
 * All rows about an order, without the sealed data about its customer. `exchange orders explain` describes them
 * in sentences.
 */
export interface OrderStory {
  readonly order: {
    readonly id: string;
    readonly merchantId: string;
    readonly merchantName: string;
    readonly sessionId: string;
    readonly operation: string;
    readonly status: OrderStatus;
    readonly statusReason: StatusReason | null;
    readonly heldFrom: OrderStatus | null;
    readonly paymentMethod: string;
    readonly paymentType: string;
    readonly deliveryMethod: string;
    readonly spend: StoryAmount;
    readonly receive: StoryAmount;
    readonly receivedUnits: string | null;
    readonly walletAddress: string | null;
    readonly networkCode: string | null;
    readonly memo: string | null;
    readonly refundAddress: string | null;
    readonly refundMemo: string | null;
    readonly requestedRefundAddress: string | null;
    readonly requestedRefundMemo: string | null;
    /** The people who approved the requested address. */
    readonly requestedRefundApprovedBy: readonly string[];
    readonly paymentExpiresAt: string;
    readonly createdAt: string;
  };
  readonly quote: {
    readonly id: string;
    readonly rate: string;
    readonly midRate: string;
    readonly rateSource: string;
    /** Null for a quote that was stored before evidence was. */
    readonly evidence: QuoteEvidence | null;
    readonly fees: readonly { readonly type: string; readonly units: string }[];
    readonly transactionFee: string;
    readonly deliveryFee: string;
    readonly spread: string;
    readonly createdAt: string;
    readonly expiresAt: string;
    readonly consumedAt: string | null;
  };
  readonly timeline: readonly {
    readonly at: string;
    readonly status: OrderStatus;
    readonly statusReason: StatusReason | null;
    readonly actor: Actor;
    readonly note: string;
    /** The subjects that the screener hit. */
    readonly screeningHits: readonly string[] | null;
  }[];
  readonly attempts: readonly (StoryAmount & {
    readonly number: number;
    readonly id: string;
    readonly at: string;
    readonly brand: string;
    readonly lastFour: string;
    readonly status: PaymentAttemptStatus;
    readonly declineReason: string | null;
    readonly threeDSecure: { readonly transStatus: string; readonly flow: string } | null;
  })[];
  readonly instruction:
    | (StoryAmount & {
        readonly rail: string;
        readonly networkCode: string | null;
        readonly address: string | null;
        readonly memo: string | null;
        readonly reference: string;
        readonly at: string;
      })
    | null;
  readonly deposits: readonly (StoryAmount & {
    readonly at: string;
    readonly rail: string;
    readonly externalId: string;
    readonly state: DepositState;
    readonly confirmations: number;
    readonly confirmationsRequired: number | null;
  })[];
  readonly entries: readonly {
    readonly at: string;
    readonly key: string;
    readonly kind: EntryKind;
    readonly assetId: number;
    readonly reverses: string | null;
    readonly postings: readonly { readonly purpose: AccountPurpose; readonly units: string }[];
  }[];
  readonly intents: readonly (StoryAmount & {
    readonly id: string;
    readonly at: string;
    readonly purpose: PayoutPurpose;
    readonly rail: string;
    readonly state: PayoutState;
    readonly networkCode: string | null;
    readonly address: string | null;
    readonly place: string | null;
    readonly transactionHash: string | null;
    readonly confirmations: number;
    /** Whether the payout was paid in a block that is not final yet. */
    readonly awaitsFinality: boolean;
    readonly voidReason: string | null;
    readonly releasedAt: string | null;
    readonly waitsFor: string | null;
    readonly wait: WaitRow | null;
    readonly replacements: readonly { readonly at: string; readonly transactionHash: string }[];
    readonly approvals: readonly { readonly at: string; readonly person: string }[];
    readonly stops: readonly string[];
  })[];
  readonly events: readonly {
    readonly at: string;
    readonly eventType: string;
    readonly deliveries: readonly {
      readonly id: string;
      readonly url: string;
      readonly state: DeliveryStatus;
      readonly nextAttemptAt: string | null;
      readonly attempts: readonly {
        readonly at: string;
        readonly number: number;
        readonly status: number | null;
        readonly fault: string | null;
      }[];
    }[];
  }[];
  readonly jobs: readonly {
    readonly kind: JobKind;
    readonly runAt: string;
    readonly attempts: number;
    readonly lastError: string | null;
  }[];
  readonly breaks: readonly Break[];
}

/** Returns SQL that selects rows as a JSON list, which is empty when there are none. */
const list = (members: string, from: string, order: string): string =>
  `coalesce((select jsonb_agg(jsonb_build_object(${members}) order by ${order}) from ${from}), '[]')`;
const AMOUNT = (alias: string): string =>
  `'assetId', ${alias}.asset_id, 'units', ${alias}.units::text`;

const ORDER = `jsonb_build_object('id', o.id::text, 'merchantId', o.merchant_id,
  'merchantName', m.name, 'sessionId', o.session_id, 'operation', o.operation, 'status', o.status,
  'statusReason', o.status_reason, 'heldFrom', o.held_from, 'paymentMethod', pm.name,
  'paymentType', pm.type, 'deliveryMethod', dm.name,
  'spend', jsonb_build_object('assetId', o.spend_asset_id, 'units', o.spend_units::text),
  'receive', jsonb_build_object('assetId', o.receive_asset_id, 'units', o.receive_units::text),
  'receivedUnits', o.received_units::text, 'walletAddress', o.wallet_address,
  'networkCode', o.network_code, 'memo', o.memo, 'refundAddress', o.refund_address,
  'refundMemo', o.refund_memo, 'requestedRefundAddress', o.requested_refund_address,
  'requestedRefundMemo', o.requested_refund_memo,
  'requestedRefundApprovedBy', array(select a.person from refund_address_approvals a where a.order_id = o.id
     and a.address = o.requested_refund_address and a.memo = coalesce(o.requested_refund_memo, '')
     order by a.at, a.person),
  'paymentExpiresAt', o.payment_expires_at, 'createdAt', o.created_at)`;

const QUOTE = `(select jsonb_build_object('id', q.id, 'rate', q.rate::text,
  'midRate', q.mid_rate::text, 'rateSource', q.rate_source, 'evidence', q.evidence, 'fees', q.fees,
  'transactionFee', q.transaction_fee_units::text, 'deliveryFee', q.delivery_fee_units::text,
  'spread', q.spread_units::text, 'createdAt', q.created_at, 'expiresAt', q.expires_at,
  'consumedAt', q.consumed_at) from quotes q where q.id = o.quote_id)`;

const ATTEMPTS = list(
  `'number', a.number, 'id', a.id, 'at', a.created_at, 'brand', a.brand, 'lastFour', a.last_four,
   'status', a.status, 'declineReason', a.decline_reason, 'threeDSecure', case when
     jsonb_typeof(a.three_d_secure) = 'object' then jsonb_build_object('transStatus',
       a.three_d_secure -> 'transStatus', 'flow', a.three_d_secure -> 'flow') end, ${AMOUNT("a")}`,
  "payment_attempts a where a.order_id = o.id",
  "a.number",
);
const INSTRUCTION = `(select jsonb_build_object('rail', i.rail, 'networkCode', i.network_code,
  'address', i.address, 'memo', i.memo, 'reference', i.reference, 'at', i.created_at, ${AMOUNT("i")})
  from payment_instructions i where i.order_id = o.id)`;
const DEPOSITS = list(
  `'at', d.created_at, 'rail', d.rail, 'externalId', d.external_id, 'state', d.state,
   'confirmations', d.confirmations, 'confirmationsRequired', d.confirmations_required, ${AMOUNT("d")}`,
  "deposits d where d.order_id = o.id",
  "d.created_at, d.id",
);
const POSTINGS = list(
  "'purpose', account.purpose, 'units', p.units::text",
  "ledger_postings p join ledger_accounts account on account.id = p.account_id where p.entry_id = e.id",
  "p.line",
);
const ENTRIES = list(
  `'at', e.effective_at, 'key', e.key, 'kind', e.kind, 'assetId', e.asset_id, 'reverses',
   (select undone.key from ledger_entries undone where undone.id = e.reverses), 'postings', ${POSTINGS}`,
  "ledger_entries e where e.order_id = o.id",
  "e.id",
);
const INTENTS = list(
  `'id', i.id, 'at', i.created_at, 'purpose', i.purpose, 'rail', i.rail, 'state', i.state,
   'networkCode', i.network_code, 'address', i.address, 'place', (select send.place::text from chain_send_outputs o join chain_sends send on send.id = o.send_id
     where o.intent_id = i.id and not o.is_vacated),
   'transactionHash', i.transaction_hash, 'confirmations', i.confirmations,
   'awaitsFinality', i.awaits_finality, 'voidReason', i.void_reason, 'releasedAt', i.released_at,
   'waitsFor', (select w.why from payout_waits w where w.intent_id = i.id and i.state = 'created'),
   'wait', (select ${WAIT_JSON} from payout_waits w where w.intent_id = i.id and i.state = 'created'), ${AMOUNT("i")},
   'replacements', ${list(
     "'at', t.created_at, 'transactionHash', t.hash",
     `chain_transactions t join chain_send_outputs o on o.send_id = t.send_id
      where o.intent_id = i.id and not o.is_vacated and t.number > 1`,
     "t.number",
   )},
   'approvals', ${list(
     "'at', p.at, 'person', p.person",
     `(select at, person from payout_approvals where intent_id = i.id
     union select at, person from payout_hit_approvals where intent_id = i.id) p`,
     "p.at",
   )},
   'stops', coalesce((select jsonb_agg(s.reason) from stops_of_payout(i) s
     where i.state in ('created', 'signed', 'broadcast')), '[]')`,
  "payout_intents i where i.order_id = o.id",
  "i.created_at, i.id",
);
// Only the origin of an endpoint's URL is read, because its path and query may contain the merchant's secrets.
const DELIVERIES = list(
  `'id', d.id, 'url', substring(w.url from '^[a-z]+://[^/?#]+'), 'state', delivery_state(d),
   'nextAttemptAt', (select p.next_attempt_at from pending_deliveries p where ${isPendingOf("p", "d")}),
   'attempts', ${list("'at', t.started_at, 'number', t.number, 'status', t.status, 'fault', t.error_class", "delivery_attempts t where t.merchant_id = d.merchant_id and t.delivery_id = d.id", "t.number")}`,
  `deliveries d join webhook_endpoints w on w.merchant_id = d.merchant_id and w.id = d.endpoint_id
   where d.merchant_id = ev.merchant_id and d.event_id = ev.id`,
  "d.created_at, d.id",
);
const EVENTS = list(
  `'at', ev.created_at, 'eventType', ev.event_type, 'deliveries', ${DELIVERIES}`,
  "events ev where ev.merchant_id = o.merchant_id and ev.order_id = o.id and not ev.is_test",
  "ev.sequence",
);

const READ = statement(
  "audit_story",
  `select ${ORDER} as "order", ${QUOTE} as quote,
     ${list("'at', t.at, 'status', t.status, 'statusReason', t.status_reason, 'actor', t.actor, 'note', t.note, 'screeningHits', t.screening_hits", "order_events t where t.order_id = o.id", "t.sequence")} as timeline,
     ${ATTEMPTS} as attempts, ${INSTRUCTION} as instruction, ${DEPOSITS} as deposits,
     ${ENTRIES} as entries, ${INTENTS} as intents, ${EVENTS} as events,
     ${list("'kind', j.kind, 'runAt', j.run_at, 'attempts', j.attempts, 'lastError', j.last_error", "jobs j where j.order_id = o.id", "j.run_at")} as jobs,
     ${list("'check', b.check_name, 'problem', b.problem", "audit_breaks b where b.subject = 'order:' || o.id and b.gone_at is null", "b.id")} as breaks
   from orders o join merchants m on m.id = o.merchant_id
     join payment_methods pm on pm.id = o.payment_method_id
     join delivery_methods dm on dm.id = o.delivery_method_id
   where o.id = $1`,
);
const READ_ASSETS = statement(
  "audit_story_assets",
  `select id, code, decimals, published_decimals as "publishedDecimals" from currencies`,
);

/** Reads the story of an order at one moment. Returns undefined when there is no such order. */
export async function readOrderStory(
  queryable: Queryable,
  orderId: bigint,
): Promise<OrderStory | undefined> {
  const [row] = await queryable.query<OrderStory>(READ, [orderId]);
  return row;
}

/** Reads all assets by id. */
export async function readAssets(queryable: Queryable): Promise<ReadonlyMap<number, Asset>> {
  const rows = await queryable.query<Asset>(READ_ASSETS);
  return new Map(rows.map((asset) => [asset.id, asset]));
}
