/** One page of a list. `last` is where the next one goes on; undefined at the end of the list. */
export interface Page<Item, Position> {
  readonly items: readonly Item[];
  readonly last: Position | undefined;
}

/** The page of a list of which one item more than the page holds was read. */
export function pageOf<Item>(found: readonly Item[], limit: number): Page<Item, Item> {
  const items = found.slice(0, limit);
  return { items, last: found.length > limit ? items.at(-1) : undefined };
}
