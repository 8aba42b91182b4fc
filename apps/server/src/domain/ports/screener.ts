/** A party or an address that is checked against lists of sanctions and stolen coins. */
export type ScreeningSubject =
  | {
      readonly kind: "customer";
      readonly firstName?: string;
      readonly lastName?: string;
      readonly countryCode?: string;
    }
  /** The holder of the account that receives a payout. */
  | { readonly kind: "beneficiary"; readonly name: string }
  | {
      readonly kind: "address";
      readonly networkCode: string | null;
      readonly address: string;
      readonly memo: string | null;
    };

export interface ScreeningRequest {
  /** The money that moves next if the subjects are clear. */
  readonly before: "payment" | "payout" | "refund";
  readonly subjects: readonly ScreeningSubject[];
}

/** Screens before money moves. A lost answer throws, and the money waits. */
export interface Screener {
  readonly name: string;
  /** Returns the subjects that are on a list; none when all are clear. */
  screen(request: ScreeningRequest): Promise<readonly ScreeningSubject[]>;
}

/** Names a subject of one order. A customer and a beneficiary never change, an address can. */
export function keyOfSubject(subject: ScreeningSubject): string {
  if (subject.kind !== "address") return subject.kind;
  const memo = subject.memo === null ? "" : ` memo ${subject.memo}`;
  return `address ${subject.address}${memo}`;
}
