import type { Break, EntryFacts, OrderFacts, PostingFacts } from "./audit-facts.ts";
import { type ExpectedEntry, expectedEntries } from "./expected-entries.ts";

/**
 * Compares the entries of an order with the expected ones. None may be missing, different or extra.
 */
export function auditEntries(facts: OrderFacts): Break[] {
  const expected = expectedEntries(facts);
  const byKey = new Map(facts.entries.map((entry) => [entry.key, entry]));
  const explained = new Set(
    expected.flatMap(({ entry, reversedBy }) => [entry.key, ...(reversedBy ? [reversedBy] : [])]),
  );
  const unexplained = facts.entries.filter(({ key }) => !explained.has(key));
  return [
    ...expected.flatMap((one) => auditEntry(facts, one, byKey.get(one.entry.key))),
    ...expected.flatMap((one) => auditReversal(facts, one, byKey)),
    ...unexplained.map(
      ({ key }): Break => ({
        check: "every entry has its reason",
        problem: `order ${facts.orderId} is ${facts.status} and has the entry ${key}, which nothing explains`,
      }),
    ),
  ];
}

function auditEntry(
  facts: OrderFacts,
  { entry }: ExpectedEntry,
  found: EntryFacts | undefined,
): Break[] {
  if (found === undefined) {
    const problem = `order ${facts.orderId} is ${facts.status} without the entry ${entry.key}`;
    return [{ check: "everything that happened is booked", problem }];
  }
  const isRight =
    found.kind === entry.kind &&
    found.assetId === entry.asset.id &&
    found.link === entry.link &&
    found.merchantId === facts.merchantId &&
    found.reverses === null &&
    isSame(found.postings, entry.postings);
  const problem = `entry ${entry.key} of order ${facts.orderId} says ${postingWords(found.postings)}, not ${postingWords(entry.postings)}`;
  return isRight ? [] : [{ check: "an entry says what happened", problem }];
}

/** A reversal undoes exactly its entry: the same accounts with the opposite signs. */
function auditReversal(
  facts: OrderFacts,
  { entry, reversedBy }: ExpectedEntry,
  byKey: ReadonlyMap<string, EntryFacts>,
): Break[] {
  if (reversedBy === null) return [];
  const check = "a reversal undoes its entry";
  const found = byKey.get(reversedBy);
  const lacks = `entry ${entry.key} of order ${facts.orderId}`;
  if (found === undefined) {
    return [{ check, problem: `${lacks} is to be undone and ${reversedBy} is missing` }];
  }
  const opposite = entry.postings.map(({ purpose, units }) => ({ purpose, units: -units }));
  const isRight =
    found.reverses === entry.key &&
    found.assetId === entry.asset.id &&
    isSame(found.postings, opposite);
  return isRight ? [] : [{ check, problem: `${lacks} is not undone exactly by ${reversedBy}` }];
}

function isSame(left: readonly PostingFacts[], right: readonly PostingFacts[]): boolean {
  const text = (postings: readonly PostingFacts[]): string =>
    postings
      .map(({ purpose, units }) => `${purpose}:${units}`)
      .sort()
      .join(" ");
  return text(left) === text(right);
}

const postingWords = (postings: readonly PostingFacts[]): string =>
  postings.length === 0
    ? "nothing"
    : postings.map(({ purpose, units }) => `${purpose} ${units}`).join(", ");
