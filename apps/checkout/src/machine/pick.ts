/** Something a merchant may name by its reference or its code, in any letter case. */
interface Named {
  readonly reference: string | null;
  readonly code?: string;
}

interface Wish {
  /** What the merchant's server fixed: this or nothing. */
  readonly lock: string | undefined;
  readonly option: string | undefined;
  /** Names to try in turn when nothing was asked for. */
  readonly presets?: readonly (string | null)[];
  /** Takes what the page asked for and is not here. */
  readonly ignored: string[];
}

/** The item that lock, option or a preset names by code or reference; else the first. */
export function pick<Item extends Named>(items: readonly Item[], wish: Wish): Item | undefined {
  if (wish.lock !== undefined) return findNamed(items, wish.lock);
  const wanted = wish.option === undefined ? undefined : findNamed(items, wish.option);
  if (wish.option !== undefined && !wanted) wish.ignored.push(wish.option);
  if (wanted) return wanted;
  for (const name of wish.presets ?? []) {
    const preset = name === null ? undefined : findNamed(items, name);
    if (preset) return preset;
  }
  return items[0];
}

/** A reference is exact; a code that several networks share means the first, the coin's default. */
const findNamed = <Item extends Named>(items: readonly Item[], name: string): Item | undefined =>
  items.find((item) => isNamed(item.reference, name)) ??
  items.find((item) => isNamed(item.code ?? null, name));

export const isNamed = (value: string | null, name: string): boolean =>
  value?.toLowerCase() === name.toLowerCase();
