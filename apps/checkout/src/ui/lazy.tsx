import { useEffect, useState } from "preact/hooks";
import { en } from "../copy/en.ts";
import { MainButton } from "./parts.tsx";
import { Screen } from "./screen.tsx";

/** Screens that come in a file of their own, fetched when somebody may soon need them. */
export interface LazyScreens<Screens extends object> {
  preload(): void;
  /** The screens, or undefined while they are fetched; `retry` after that failed. */
  use(): { readonly screens: Screens | undefined; readonly failed: boolean; retry(): void };
}

export function lazyScreens<Screens extends object>(
  fetchScreens: () => Promise<Screens>,
): LazyScreens<Screens> {
  let fetched: Screens | undefined;
  let failures = 0;
  const load = async (): Promise<Screens> => {
    try {
      fetched ??= await (failures === 0 ? fetchScreens() : fetchAgain(fetchScreens, failures));
      return fetched;
    } catch (error) {
      failures += 1;
      throw error;
    }
  };
  return {
    // A failure is met again, and told, by whoever needs the screens.
    preload: () => void load().catch(() => undefined),
    use() {
      const [screens, setScreens] = useState(fetched);
      const [failed, setFailed] = useState(false);
      const [attempt, setAttempt] = useState(0);
      useEffect(() => {
        if (screens) return;
        setFailed(false);
        load().then(
          (arrived) => setScreens(arrived),
          () => setFailed(true),
        );
      }, [attempt]);
      return { screens, failed, retry: () => setAttempt(attempt + 1) };
    },
  };
}

/**
 * Browsers remember that a module could not be fetched and never try the same address again, so a
 * retry has an address of its own. The build writes the file's name into the function that fetches
 * it, and nowhere else.
 */
function fetchAgain<Screens>(fetchScreens: () => Promise<Screens>, failures: number) {
  const path = /import\(\s*["'`]([^"'`]+)["'`]/.exec(String(fetchScreens))?.[1];
  if (path === undefined) return fetchScreens();
  const address = new URL(`${path}?again=${failures}`, import.meta.url).href;
  return import(/* @vite-ignore */ address) as Promise<Screens>;
}

/** Shown in a screen's place while it is fetched, and when it could not be. */
export const ScreenPending = ({
  failed,
  retry,
  shop,
}: {
  readonly failed: boolean;
  readonly retry: () => void;
  readonly shop: string | undefined;
}) =>
  failed ? (
    <Screen title={en.boot.unreachableTitle} shop={shop}>
      <p class="lead">{en.boot.unreachable}</p>
      <div class="actions">
        <MainButton onClick={retry}>{en.tryAgain}</MainButton>
      </div>
    </Screen>
  ) : (
    <main class="main" aria-busy="true" aria-label={en.boot.loading}>
      <div class="waiting" aria-hidden="true">
        <span class="spinner spinner-large" />
      </div>
    </main>
  );
