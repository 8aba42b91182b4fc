import { useEffect, useState } from "preact/hooks";

/** A price that has just changed must be readable before a press accepts it. */
const READING_MS = 700;

/** Whether a price has been on the screen long enough to be read. `price` names the one that is shown. */
export function useReadable(price: string | undefined): boolean {
  const [readable, setReadable] = useState(price);
  useEffect(() => {
    const timer = setTimeout(() => setReadable(price), READING_MS);
    return () => clearTimeout(timer);
  }, [price]);
  return readable === price;
}
