/**
 * One page of a list. `last` is the position of the next page; undefined at the end of the list.
 */
export interface Page<Item, Position> {
  readonly items: readonly Item[];
  readonly last: Position | undefined;
}

/** Builds the page from a read of one item more than the page holds. */
export function pageOf<Item>(found: readonly Item[], limit: number): Page<Item, Item> {
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
