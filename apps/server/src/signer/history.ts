import type { LoggedPayment, LoggedSignature } from "./sign-log.ts";

/** A transaction's places, and a name that no other transaction has. */
export type SpentPlaces = Pick<LoggedSignature, "places" | "hash">;

/** Answers questions about everything that was ever signed. It is built from the log. */
export class History {
  readonly #all: LoggedSignature[] = [];
  readonly #byQuestion = new Map<string, LoggedSignature>();
  readonly #byHash = new Map<string, LoggedSignature>();
  readonly #byPlace = new Map<string, LoggedSignature[]>();
  readonly #byIntent = new Map<string, LoggedSignature[]>();
  readonly #accounts = new Map<string, { signatures: number; highest: bigint | null }>();

  constructor(signatures: readonly LoggedSignature[]) {
    for (const signature of signatures) this.add(signature);
  }

  add(signature: LoggedSignature): void {
    this.#all.push(signature);
    this.#byQuestion.set(signature.question, signature);
    this.#byHash.set(signature.hash, signature);
    for (const place of signature.places) append(this.#byPlace, place, signature);
    for (const { intent } of signature.payments) append(this.#byIntent, intent, signature);
    const { signatures: count = 0, highest = null } = this.#accounts.get(signature.account) ?? {};
    const nonce = nonceOf(signature);
    const isHigher = nonce !== null && (highest === null || nonce > highest);
    this.#accounts.set(signature.account, {
      signatures: count + 1,
      highest: isHigher ? nonce : highest,
    });
  }

  count(): number {
    return this.#all.length;
  }

  last(): LoggedSignature | undefined {
    return this.#all.at(-1);
  }

  byQuestion(question: string): LoggedSignature | undefined {
    return this.#byQuestion.get(question);
  }

  byHash(hash: string): LoggedSignature | undefined {
    return this.#byHash.get(hash);
  }

  /** Returns the signatures at a place, oldest first. */
  atPlace(place: string): readonly LoggedSignature[] {
    return this.#byPlace.get(place) ?? [];
  }

  /** Returns the signatures that pay an intent, oldest first. */
  ofIntent(intent: string): readonly LoggedSignature[] {
    return this.#byIntent.get(intent) ?? [];
  }

  /** Returns each account that signed, by name. `highest` is null where places have no order. */
  accounts(): Record<string, { signatures: number; highest: string | null }> {
    const entries = [...this.#accounts].map(([name, { signatures, highest }]) => {
      return [name, { signatures, highest: highest === null ? null : String(highest) }] as const;
    });
    return Object.fromEntries(entries);
  }

  /** Returns the cents that first signatures since then pay. */
  centsSince(time: number, filter: (payment: LoggedPayment, network: string) => boolean): bigint {
    let cents = 0n;
    for (const { payments, network } of this.#since(time)) {
      for (const payment of payments) {
        if (payment.isFirst && filter(payment, network)) cents += BigInt(payment.cents);
      }
    }
    return cents;
  }

  /** Returns the fees that signatures since then can cost on a network, and their part that is rent of token accounts. */
  feesSince(time: number, network: string): { readonly fees: bigint; readonly rent: bigint } {
    let fees = 0n;
    let rent = 0n;
    for (const signature of this.#since(time)) {
      if (signature.network !== network) continue;
      fees += BigInt(signature.feeAdded);
      rent += BigInt(signature.rent ?? 0);
    }
    return { fees, rent };
  }

  /**
   * Returns whether at most one of the two can ever be mined. That holds if they spend one place differently, or if
   * transactions of ours that they build on do.
   */
  areExclusive(one: SpentPlaces, other: SpentPlaces): boolean {
    const spent = this.#placesNeededBy(one);
    return [...this.#placesNeededBy(other)].some(
      ([place, hash]) => (spent.get(place) ?? hash) !== hash,
    );
  }

  /** Maps each place that must be spent for the transaction to be mined to the transaction that spends it. */
  #placesNeededBy(spender: SpentPlaces): Map<string, string> {
    const spent = new Map<string, string>();
    const waiting = [spender];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      for (const place of next.places) {
        if (spent.has(place)) continue;
        spent.set(place, next.hash);
        const parent = this.#byHash.get(place.split(":")[0] ?? "");
        if (parent) waiting.push(parent);
      }
    }
    return spent;
  }

  /** The newest signatures come last, so a window is read from the end. */
  *#since(time: number): Generator<LoggedSignature> {
    for (let index = this.#all.length - 1; index >= 0; index--) {
      const signature = this.#all[index];
      if (!signature || signature.at <= time) return;
      yield signature;
    }
  }
}

function nonceOf({ places }: LoggedSignature): bigint | null {
  const nonce = places[0]?.split("#")[1];
  return nonce === undefined ? null : BigInt(nonce);
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
