import { fetchedOnce } from "../fetched-once.ts";
import { lazyScreens } from "./lazy.tsx";

/** The drawn marks. They come after the first screen. */
export const marks = lazyScreens(fetchedOnce(() => import("./marks.tsx")));
const DISC_COLOURS = 6;

/**
 * The mark of a currency. A currency without one, or whose mark cannot be fetched, shows its initial on a coloured disc.
 * Until then the disc is empty, because another mark would flash. CSS draws the initial, so it is not a part of a button's
 * accessible name.
 */
export function Coin({
  code,
  network,
}: {
  readonly code: string;
  readonly network?: string | null;
}) {
  const { screens, failed } = marks.use();
  if (screens?.hasMark(code)) return <screens.Mark code={code} network={network} />;
  if (!screens && !failed) return <span class="disc disc-empty" aria-hidden="true" />;
  const numbers = Array.from(code, (character) => character.codePointAt(0) ?? 0);
  const sum = numbers.reduce((total, number) => total + number, 0);
  return (
    <span
      class={`disc disc-${sum % DISC_COLOURS}`}
      data-letter={code.slice(0, 1)}
      aria-hidden="true"
    />
  );
}
