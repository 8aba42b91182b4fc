import { type Asset, compareDecimals, money, parseDecimal, toDecimal } from "@exchange/money";
import { PAYMENT_KINDS, type PaymentKind, type StatementLine } from "../ports/rail-statement.ts";
import type { Break } from "./audit-facts.ts";

/** The check that finds movements of a rail which our books do not have. The audit stores this text. */
export const MOVED_AS_ASKED = "what the rail did we asked for";

/** A break of a rail. A fault of one network stops that network only, and every other one stops everything. */
export interface RailBreak extends Break {
  readonly networkCode: string | null;
}

/** A line of a statement, and the network that states it. Null for a bank or a card processor. */
export interface NetworkLine extends StatementLine {
  readonly networkCode: string | null;
}

/** A movement of money in our ledger, in the terms of a statement. */
export interface OurLine {
  readonly kind: PaymentKind;
  readonly reference: string;
  /** The network or bank of a deposit; null for a movement that our own id names. */
  readonly source: string | null;
  /** The network that it moved on. Null for a bank or a card processor. */
  readonly networkCode: string | null;
  readonly assetReference: string;
  readonly asset: Asset;
  readonly units: bigint;
  readonly state: StatementLine["state"];
}

/** Returns the name of a movement, the same in our books and in the rail's. */
export const lineKey = ({ kind, reference, source }: NamedLine): string =>
  kind === "capture" || kind === "payout"
    ? `${kind} ${reference}`
    : `${kind} ${source} ${reference}`;

export interface NamedLine extends Pick<StatementLine, "kind" | "reference"> {
  readonly source: string | null;
}

/** Whether the line stands for a payment. The audit of wallets looks after the others. */
export const isPaymentLine = <Line extends Pick<StatementLine, "kind">>(
  line: Line,
): line is Line & { readonly kind: PaymentKind } =>
  PAYMENT_KINDS.some((kind) => kind === line.kind);

/**
 * Compares the settled money in our ledger with the rail's statement, which was read afterwards.
 */
export function findMissingThere(
  ours: readonly OurLine[],
  theirs: ReadonlyMap<string, readonly StatementLine[]>,
): RailBreak[] {
  return ours
    .filter(({ state }) => state === "settled")
    .flatMap((line): RailBreak[] => {
      const { networkCode } = line;
      const stated = theirs.get(lineKey(line)) ?? [];
      if (stated.length === 0) {
        const problem = `${lineKey(line)} is settled in our books and unknown to the rail`;
        return [{ check: "what we booked the rail knows", problem, networkCode }];
      }
      if (stated.some(({ state }) => state === "settled")) return [];
      const problem = `${lineKey(line)} is settled in our books and ${stated[0]?.state} at the rail`;
      return [{ check: "what is settled here is settled there", problem, networkCode }];
    });
}

/**
 * Compares the rail's statement with our ledger, which was read afterwards. A transfer that we have
 * not settled yet is under way and not a break.
 */
export function findMissingHere(
  theirs: ReadonlyMap<string, readonly NetworkLine[]>,
  ours: ReadonlyMap<string, OurLine>,
): RailBreak[] {
  return [...theirs].flatMap(([key, lines]) => {
    const settled = lines.filter(({ state }) => state === "settled");
    const our = ours.get(key);
    const [line] = lines;
    if (our === undefined || line === undefined) {
      // Anybody may send us money that nobody asked for. It is a surplus to investigate and not a
      // loss.
      if (settled.length === 0 || line?.kind === "deposit") return [];
      const problem = `the rail settled ${key}, which our books do not know`;
      return [{ check: MOVED_AS_ASKED, problem, networkCode: line?.networkCode ?? null }];
    }
    const times = `the rail settled ${key} ${settled.length} times`;
    // Of several versions of a transaction one moves the money, and a reorganisation may have taken out another.
    const counted = lines.filter(({ state }) => state !== "rejected");
    const compared = counted.length > 0 ? counted : [line];
    const twice: Break[] =
      settled.length > 1 ? [{ check: "the rail moves money once", problem: times }] : [];
    const found = [...twice, ...compared.flatMap((stated) => compare(stated, our))];
    return found.map((one) => ({ ...one, networkCode: line.networkCode }));
  });
}

function compare(stated: StatementLine, our: OurLine): Break[] {
  const key = lineKey(our);
  if (stated.state !== "rejected" && !isSameAmount(stated, our)) {
    const problem = `the rail says ${amountWords(stated)} of ${key}, our books ${our.units} units of ${our.assetReference}`;
    return [{ check: "the rail moves what we say", problem }];
  }
  if (stated.state === "settled" && our.state === "rejected") {
    const problem = `${key} is settled at the rail and given up in our books`;
    return [{ check: "what is settled there is not given up here", problem }];
  }
  if (stated.state === "rejected" && our.state === "settled") {
    const problem = `${key} is settled in our books and rejected at the rail`;
    return [{ check: "what is settled here is settled there", problem }];
  }
  return [];
}

function isSameAmount({ amount, assetReference }: StatementLine, our: OurLine): boolean {
  if (assetReference !== our.assetReference) return false;
  if ("units" in amount) return amount.units === our.units;
  const stated = parseDecimal(amount.coins);
  const coins = toDecimal(money(our.asset, our.units));
  return stated !== undefined && compareDecimals(stated, coins) === 0;
}

const amountWords = ({ amount, assetReference }: StatementLine): string =>
  `${"units" in amount ? `${amount.units} units` : amount.coins} of ${assetReference}`;
