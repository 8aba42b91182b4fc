/**
 * Browsers remember that a module could not be fetched and never try the same address again, so a
 * retry has an address of its own. The build writes the file's name into the function that fetches
 * it, and nowhere else.
 */
export function fetchAgain<Module>(
  fetchModule: () => Promise<Module>,
  failures: number,
): Promise<Module> {
  const path = /import\(\s*["'`]([^"'`]+)["'`]/.exec(String(fetchModule))?.[1];
  if (failures === 0 || path === undefined) return fetchModule();
  const address = new URL(`${path}?again=${failures}`, import.meta.url).href;
  return import(/* @vite-ignore */ address) as Promise<Module>;
}
