const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/;
/** Not people: what they set, people have to lift. */
const RESERVED: ReadonlySet<string> = new Set(["auditor", "system"]);

/** An operator's name as it is compared and kept: "Anna" and "anna " are one person. */
export function personOf(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return NAME.test(name) && !RESERVED.has(name) ? name : undefined;
}
