import type { Call, CallOptions, Operation } from "./calls/operation.ts";
import { ExchangeError } from "./errors.ts";

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Cursor of the next page; null at the end. */
  readonly nextCursor: string | null;
}

/**
 * A list that is fetched page by page while you iterate. No request is sent before you iterate;
 * iterating again fetches again.
 */
export interface Paged<Item> extends AsyncIterable<Item> {
  /** Returns the pages, each with the cursor of the next. */
  pages(): AsyncIterable<Page<Item>>;
  /** Returns the first page only. */
  firstPage(): Promise<Page<Item>>;
  /** Returns the first items as an array, at most `itemsMax`. */
  toArray(itemsMax: number): Promise<Item[]>;
}

export interface PagedRequest {
  readonly operation: Operation & { readonly cursor: string };
  readonly params: readonly unknown[];
  readonly input: Readonly<Record<string, unknown>> | undefined;
  readonly options: CallOptions;
}

export function makePaged<Item>(call: Call, request: PagedRequest): Paged<Item> {
  const { operation, input } = request;
  const read = async (cursor: string | undefined): Promise<Page<Item>> => {
    const more = cursor === undefined ? {} : { [operation.cursor]: cursor };
    return toPage(operation, await call({ ...request, input: { ...input, ...more } }));
  };
  async function* pages(): AsyncGenerator<Page<Item>> {
    let cursor: string | undefined;
    for (;;) {
      const page = await read(cursor);
      yield page;
      if (page.nextCursor === null) return;
      if (page.nextCursor === cursor)
        throw unexpected(operation, "nextCursor does not change, so the list would never end");
      cursor = page.nextCursor;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) yield* page.data;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    firstPage: () => read(undefined),
    toArray: (itemsMax) => take(items(), itemsMax),
  };
}

async function take<Item>(items: AsyncIterable<Item>, itemsMax: number): Promise<Item[]> {
  const taken: Item[] = [];
  if (itemsMax <= 0) return taken;
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= itemsMax) break;
  }
  return taken;
}

function toPage<Item>(operation: Operation, body: unknown): Page<Item> {
  const { data, nextCursor } = body as { data?: unknown; nextCursor?: unknown };
  if (!Array.isArray(data)) throw unexpected(operation, "its data is not a list");
  return { data, nextCursor: typeof nextCursor === "string" ? nextCursor : null };
}

const unexpected = ({ id, method, path }: Operation, why: string): ExchangeError =>
  new ExchangeError({
    message: `${method} ${path}: UNEXPECTED_ANSWER: ${why}`,
    code: "UNEXPECTED_ANSWER",
    operation: id,
    status: 200,
    retryable: false,
    attempts: 1,
  });
