import { fetchedOnce } from "./fetch-again.ts";
import { lazyScreens } from "./lazy.tsx";

const marks = lazyScreens(fetchedOnce(() => import("./marks.tsx")));
const DISC_COLOURS = 6;

/**
 * The mark of a currency. Until it is here, and without one, its initial on a disc of a lasting colour. The letter is
 * style, so that the text of a button with a disc begins as its name does.
 */
export function Coin({ code }: { readonly code: string }) {
  const { screens } = marks.use();
  if (screens?.hasMark(code)) return <screens.Mark code={code} />;
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
