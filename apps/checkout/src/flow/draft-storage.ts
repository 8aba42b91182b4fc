const STORAGE_KEY = "exchange.draft";

/** The stored choices of this window. They survive a reload, and no exit from the checkout. */
export interface DraftStorage {
  read(): string | undefined;
  /** Stores the choices in place of the earlier ones, or removes them. */
  write(text: string | undefined): void;
}

/** A window that blocks its storage has none, and loses the choices with a reload. */
export const openDraftStorage = (memory: Storage | undefined): DraftStorage => ({
  read: () => memory?.getItem(STORAGE_KEY) ?? undefined,
  write(text) {
    if (text === undefined) return memory?.removeItem(STORAGE_KEY);
    try {
      memory?.setItem(STORAGE_KEY, text);
    } catch {
      // The storage is full.
    }
  },
});
