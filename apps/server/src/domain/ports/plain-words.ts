const CONTROLS = /\p{Cc}/gu;

/** Returns words from outside with spaces for control characters. PostgreSQL stores no text that has U+0000. */
export const plainWords = (text: string): string => text.replaceAll(CONTROLS, " ");
