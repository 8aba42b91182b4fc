/** Returns what this browser keeps under the key. A browser that forbids storage keeps nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser, unless storage is forbidden or full. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The console works without it, and forgets the text with the page.
  }
}
