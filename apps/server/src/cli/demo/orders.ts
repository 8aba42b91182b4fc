/** An order of the demo's day: what the customer asks for, and what happens then. */
export interface DemoOrder {
  readonly operation: "B" | "S" | "CC" | "FF";
  readonly spend: string;
  readonly receive: string;
  /** Whole coins of the spend currency, one order for each amount. */
  readonly amounts: readonly number[];
  readonly method: string;
  readonly delivery: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly steps: readonly DemoStep[];
}

/** A step in the sandbox: of the customer, of the merchant, or of a rail. */
export type DemoStep =
  | { readonly kind: "card"; readonly number: string }
  /** The customer asks for an address or an account, and does not pay yet. */
  | { readonly kind: "instructions" }
  /** A deposit of a part of the order's amount: 1 pays it exactly. */
  | {
      readonly kind: "deposit";
      readonly part?: number;
      readonly confirmations?: number;
      readonly currency?: string;
    }
  | { readonly kind: "await"; readonly status: string }
  | { readonly kind: "refund" }
  | { readonly kind: "cancel" };

const BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";
const ETHEREUM = "0x52908400098527886E0F7030069857D2E4169EE7";
const IBAN = "DE89370400440532013000";

/** Test cards of the sandbox (docs/reference/sandbox-cards.md). */
const CARDS = {
  approved: "4000000000002701",
  mastercard: "5200000000002235",
  declined: "4000000000000002",
  challenged: "4000000000002503",
} as const;

type Kind = Omit<DemoOrder, "amounts" | "steps">;

const toBitcoin = { walletAddress: BITCOIN };
const byCard = {
  operation: "B",
  spend: "eur",
  receive: "btc",
  method: "card",
  delivery: "blockchain_transfer",
  request: toBitcoin,
} as const satisfies Kind;
const byTransfer = { ...byCard, method: "sepa" } as const;
const ethereumByCard = { ...byCard, receive: "eth", request: { walletAddress: ETHEREUM } } as const;
const account = (accountHolder: string) => ({ payout: { accountHolder, iban: IBAN } });
const sale = {
  operation: "S",
  spend: "eth",
  receive: "eur",
  method: "crypto",
  delivery: "sepa",
  request: { ...account("Ada Lovelace"), refundAddress: ETHEREUM },
} as const satisfies Kind;
const swap = {
  ...sale,
  operation: "CC",
  receive: "btc",
  delivery: "blockchain_transfer",
  request: { ...toBitcoin, refundAddress: ETHEREUM },
} as const satisfies Kind;
const transfer = {
  operation: "FF",
  spend: "gbp",
  receive: "eur",
  method: "faster_payments",
  delivery: "sepa",
  request: account("Ada Lovelace"),
} as const satisfies Kind;

const named = <K extends Kind>(kind: K, lastName: string) => ({
  ...kind,
  request: { ...kind.request, customer: { firstName: "Ada", lastName } },
});

const card = (number: string): readonly DemoStep[] => [{ kind: "card", number }];
const deposit = (
  changes: Omit<Extract<DemoStep, { kind: "deposit" }>, "kind"> = {},
): DemoStep[] => [{ kind: "instructions" }, { kind: "deposit", ...changes }];

/** A day of the sandbox: every operation, and orders that wait, are refused, in review and refunded. */
export const DEMO_ORDERS: readonly DemoOrder[] = [
  { ...byCard, amounts: [60, 85, 120, 150, 240, 410], steps: card(CARDS.approved) },
  { ...ethereumByCard, amounts: [75, 130, 260, 99], steps: card(CARDS.mastercard) },
  { ...byCard, amounts: [110], steps: card(CARDS.declined) },
  { ...byCard, amounts: [180], steps: card(CARDS.challenged) },
  { ...byCard, amounts: [50, 95], steps: [] },
  { ...byCard, amounts: [70], steps: [{ kind: "cancel" }] },
  { ...named(byCard, "Sanctioned"), amounts: [350], steps: card(CARDS.approved) },
  { ...named(byCard, "Pricemoved"), amounts: [140], steps: card(CARDS.approved) },
  { ...byTransfer, amounts: [200, 320, 500], steps: deposit() },
  { ...byTransfer, amounts: [150], steps: [{ kind: "instructions" }] },
  { ...byTransfer, amounts: [220], steps: deposit({ part: 0.5 }) },
  { ...byTransfer, amounts: [100], steps: deposit({ part: 1.5 }) },
  {
    ...byTransfer,
    amounts: [80, 130],
    steps: [...deposit({ part: 0.5 }), { kind: "await", status: "in_review" }, { kind: "refund" }],
  },
  { ...sale, amounts: [0.1, 0.15, 0.2, 0.3], steps: deposit() },
  { ...sale, amounts: [0.12], steps: deposit({ part: 0.5 }) },
  { ...sale, amounts: [0.25], steps: [{ kind: "instructions" }] },
  {
    ...sale,
    request: { ...sale.request, ...account("Rejected Payout") },
    amounts: [0.18],
    steps: deposit(),
  },
  {
    ...sale,
    request: { ...sale.request, ...account("Slow Settlement") },
    amounts: [0.22],
    steps: deposit(),
  },
  { ...swap, amounts: [0.1, 0.2, 0.4], steps: deposit() },
  { ...swap, amounts: [0.15], steps: deposit({ confirmations: 1 }) },
  { ...transfer, amounts: [100, 250, 400], steps: deposit() },
  { ...transfer, request: account("Slow Settlement"), amounts: [300], steps: deposit() },
  { ...transfer, amounts: [90], steps: [{ kind: "instructions" }] },
];

/** Sessions of customers who look and do not buy. */
export const DEMO_VISITS = 9;
