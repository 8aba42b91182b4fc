/**
 * Fetches a module that failed before. Browsers remember the failure of an address and never try it
 * again, so a retry needs another address. The build writes the file's name only into the function
 * that fetches it, so the name is read from the function's source.
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
