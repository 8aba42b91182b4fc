export const PARTS: readonly string[];
export function messageTypes(part: string): string;
