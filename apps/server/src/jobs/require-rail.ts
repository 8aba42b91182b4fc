/** Returns the rail. Throws while none is configured, so the job waits until one is. */
export function requireRail<Rail>(rail: Rail | undefined, name: string): Rail {
  if (rail === undefined) throw new Error(`no ${name} is configured`);
  return rail;
}
