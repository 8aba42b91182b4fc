export const PARTS: readonly string[];
export function formsOf(
  catalogue: Readonly<Record<string, string>>,
): ReadonlyMap<string, Readonly<Record<string, string>>>;
export function placeholdersOf(text: string): readonly string[];
export function messageTypes(part: string): string;
