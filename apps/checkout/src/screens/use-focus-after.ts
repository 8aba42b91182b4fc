import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Returns a function that a button calls before its press changes `value` and removes the button. Once `value` has changed,
 * the focus moves to the field. Otherwise it would be lost with the button.
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
