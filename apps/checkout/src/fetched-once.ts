/** A network may hold a request without an end. */
const HELD_MS = 15_000;

/**
 * Returns a function that fetches a module once. After a failure, or a request that is held, the next call tries again.
 * Browsers remember the failure of an address and never try it again, so a retry needs another address. The build writes
 * the file's name only into the function that fetches it, so the name is read from the function's source.
 */
export function fetchedOnce<Module>(fetchModule: () => Promise<Module>): () => Promise<Module> {
  let fetching: Promise<Module> | undefined;
  let failures = 0;
  const fetchFile = (): Promise<Module> => {
    const path = /import\(\s*["'`]([^"'`]+)["'`]/.exec(String(fetchModule))?.[1];
    if (failures === 0 || path === undefined) return fetchModule();
    const address = new URL(`${path}?again=${failures}`, import.meta.url).href;
    return import(/* @vite-ignore */ address) as Promise<Module>;
  };
  return () => {
    fetching ??= within(HELD_MS, fetchFile()).catch((error: unknown) => {
      fetching = undefined;
      failures += 1;
      throw error;
    });
    return fetching;
  };
}

const within = <Value>(ms: number, result: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    setTimeout(reject, ms);
    result.then(resolve, reject);
  });
