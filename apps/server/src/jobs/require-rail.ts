/** The rail, or an error that keeps the job waiting until one is set up again. */
export function requireRail<Rail>(rail: Rail | undefined, name: string): Rail {
  if (rail === undefined) throw new Error(`no ${name} is set up`);
  return rail;
}
