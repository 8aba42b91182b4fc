import type { Endpoint } from "@exchange/contract";

export interface MethodName {
  /** Member of the client: `orders`. */
  readonly resource: string;
  /** Method of the resource: `list`. */
  readonly method: string;
}

/** Exceptions to the rule below, where its result would be hard to find. */
const RESOURCE_OF_SEGMENT: Readonly<Record<string, string>> = { public_token: "publicTokens" };
const METHOD_OF_OPERATION: Readonly<Record<string, string>> = {
  rotateWebhookSecret: "rotateSecret",
  replayWebhookDeliveries: "replayRange",
};

/**
 * The resource is the path's first segment, the method is the operationId without the resource's
 * words: `GET /exchange/currencies`, `listCurrencies` is `currencies.list`. Where two operations of
 * a resource come to the same method, the later one keeps its whole operationId.
 */
export function nameMethods(endpoints: readonly Endpoint[]): ReadonlyMap<string, MethodName> {
  const names = new Map<string, MethodName>();
  const taken = new Set<string>();
  for (const { operationId, path } of endpoints) {
    const resource = resourceOf(path);
    const short = METHOD_OF_OPERATION[operationId] ?? methodOf(operationId, resource);
    const method = taken.has(`${resource}.${short}`) ? operationId : short;
    taken.add(`${resource}.${method}`);
    names.set(operationId, { resource, method });
  }
  return names;
}

function resourceOf(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "exchange");
  const first = segments[0] ?? "";
  return RESOURCE_OF_SEGMENT[first] ?? camelCase(first.split(/[-_]/));
}

function methodOf(operationId: string, resource: string): string {
  const noun = wordsOf(resource).map(singular);
  const words = wordsOf(operationId.replace(/ByMerchant$/, ""));
  const left = without(without(words, noun), ["exchange"]);
  return left.length === 0 ? operationId : camelCase(left);
}

/** Removes the first occurrence of the noun, in singular or plural. */
function without(words: readonly string[], noun: readonly string[]): readonly string[] {
  const from = words.findIndex((_, at) =>
    noun.every((word, offset) => singular(words[at + offset] ?? "") === word),
  );
  return from < 0 ? words : [...words.slice(0, from), ...words.slice(from + noun.length)];
}

const wordsOf = (name: string): readonly string[] =>
  name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

const singular = (word: string): string => word.replace(/ies$/, "y").replace(/(?<!s)s$/, "");

export const camelCase = (words: readonly string[]): string =>
  words.map((word, at) => (at === 0 ? word : capital(word))).join("");

export const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
