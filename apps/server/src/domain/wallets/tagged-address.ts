/**
 * Where one account takes the deposits of all orders, an order's address is the account with a tag of its own. The
 * scanner's rows name both in one text, such as `rHb9…?dt=17`, as links to wallets do. No other address has a `?`.
 */
const MARK = "?dt=";

/** An account, and the tag that tells its depositors apart. */
export interface TaggedAddress {
  readonly address: string;
  readonly memo: string | null;
}

/** Returns the text that names an account and a tag. It is the account's address where there is no tag. */
export const joinTag = ({ address, memo }: TaggedAddress): string =>
  memo === null ? address : `${address}${MARK}${memo}`;

/** Returns the account and the tag that a text of `joinTag` names. */
export function splitTag(text: string): TaggedAddress {
  const at = text.indexOf(MARK);
  if (at < 0) return { address: text, memo: null };
  return { address: text.slice(0, at), memo: text.slice(at + MARK.length) };
}

/** Returns the address that holds the coins of a text of `joinTag`. */
export const holderOf = (text: string): string => splitTag(text).address;

/** Returns the tag of the deposit with the index. None is 0, which some wallets send where nobody gave a tag. */
export const tagOfIndex = (index: number): string => String(index + 1);
