import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Returns a function for a button that vanishes with what it changes, and the focus with it. Once the value has changed,
 * the field has the focus.
 */
export function useFocusAfter(fieldId: string, value: unknown): () => void {
  const isPressed = useRef(false);
  useLayoutEffect(() => {
    if (isPressed.current) document.getElementById(fieldId)?.focus();
    isPressed.current = false;
  }, [value]);
  return () => {
    isPressed.current = true;
  };
}
