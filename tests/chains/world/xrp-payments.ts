/** The fields of a transaction, as the ledger's own library reads them. */
export type XrpFields = Readonly<Record<string, unknown>>;

/** An account of a ledger of the tests. */
export interface LedgerAccount {
  balance: bigint;
  sequence: number;
  flags: bigint;
  ownerCount: bigint;
}

export type LedgerState = Map<string, LedgerAccount>;

export const FLAGS = {
  partial: 0x0002_0000n,
  requireTag: 0x0002_0000n,
  noXrp: 0x0008_0000n,
  depositAuth: 0x0100_0000n,
} as const;

interface LedgerRules {
  readonly index: number;
  readonly reserve: bigint;
  readonly increment: bigint;
  readonly liquidity: bigint;
}

interface Applied {
  readonly result: string;
  readonly meta: object | undefined;
}

/** The account whose offers give the XRP of a partial payment. */
export const MARKET = "rrrrrrrrrrrrrrrrrrrrBZbvji";

/** Applies a transaction whose turn it is, as rippled's `Payment` and `AccountSet` do. A `tec` result takes the fee alone. */
export function applyPayment(
  transaction: XrpFields,
  state: LedgerState,
  rules: LedgerRules,
): Applied {
  const before = new Map([...state].map(([address, one]) => [address, { ...one }]));
  const sender = String(transaction["Account"]);
  const account = state.get(sender);
  if (!account) return { result: "terNO_ACCOUNT", meta: undefined };
  const fee = BigInt(String(transaction["Fee"]));
  account.balance -= fee;
  account.sequence += 1;
  const moved = transaction["TransactionType"] === "Payment" ? pay(transaction, state, rules) : 0n;
  const result = typeof moved === "string" ? moved : "tesSUCCESS";
  const delivered =
    typeof moved === "bigint" && moved > 0n ? { delivered_amount: String(moved) } : {};
  const meta = { TransactionResult: result, TransactionIndex: 0, ...delivered };
  return { result, meta: { ...meta, AffectedNodes: nodesOf(before, state) } };
}

/** Returns the drops that were delivered, or why none were. Nothing but the fee has changed then. */
function pay(
  transaction: XrpFields,
  state: LedgerState,
  { index, reserve, increment, liquidity }: LedgerRules,
): bigint | string {
  const [from, to] = [String(transaction["Account"]), String(transaction["Destination"])];
  const isExchange = transaction["SendMax"] !== undefined;
  const wanted = BigInt(String(transaction["Amount"]));
  const isPartial = (BigInt(Number(transaction["Flags"] ?? 0)) & FLAGS.partial) !== 0n;
  const units = isExchange ? (isPartial && liquidity < wanted ? liquidity : wanted) : wanted;
  const payer = state.get(isExchange ? MARKET : from);
  const recipient = state.get(to);
  if (!recipient && units < reserve) return "tecNO_DST_INSUF_XRP";
  if (recipient) {
    const hasTag = transaction["DestinationTag"] !== undefined;
    if ((recipient.flags & FLAGS.requireTag) !== 0n && !hasTag) return "tecDST_TAG_NEEDED";
    if ((recipient.flags & FLAGS.depositAuth) !== 0n) return "tecNO_PERMISSION";
  }
  const ownerReserve = reserve + increment * (payer?.ownerCount ?? 0n);
  if (!payer || units === 0n) return "tecPATH_DRY";
  if (!isExchange && payer.balance < units + ownerReserve) return "tecUNFUNDED_PAYMENT";
  payer.balance -= units;
  if (recipient) recipient.balance += units;
  else state.set(to, { balance: units, sequence: index, flags: 0n, ownerCount: 0n });
  return units;
}

/** Returns the changed accounts, as the metadata of a transaction name them. */
function nodesOf(before: LedgerState, after: LedgerState): readonly object[] {
  return [...after].flatMap(([address, account]): object[] => {
    const earlier = before.get(address);
    const fields = {
      Account: address,
      Balance: String(account.balance),
      Flags: Number(account.flags),
      OwnerCount: Number(account.ownerCount),
      Sequence: account.sequence,
    };
    if (!earlier) {
      return [{ CreatedNode: { LedgerEntryType: "AccountRoot", NewFields: fields } }];
    }
    const isPaid = earlier.balance !== account.balance;
    if (!isPaid && earlier.sequence === account.sequence) return [];
    const previous = { ...(isPaid && { Balance: String(earlier.balance) }) };
    return [
      {
        ModifiedNode: {
          LedgerEntryType: "AccountRoot",
          FinalFields: fields,
          PreviousFields: previous,
        },
      },
    ];
  });
}
