export const PARTS: readonly string[];
export function placeholdersOf(text: string): readonly string[];
export function messageTypes(part: string): string;
