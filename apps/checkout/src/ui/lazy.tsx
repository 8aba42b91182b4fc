import { useEffect, useState } from "preact/hooks";
import { t } from "../copy/first.ts";
import { MainButton } from "./parts.tsx";
import { Screen } from "./screen.tsx";

/** Screens in a file of their own, fetched shortly before the customer needs them. */
export interface LazyScreens<Screens extends object> {
  preload(): void;
  /**
   * Returns the screens, or undefined while they are fetched. After a failure, `retry` or a new connection fetches
   * them again.
   */
  use(): { readonly screens: Screens | undefined; readonly failed: boolean; retry(): void };
}

export function lazyScreens<Screens extends object>(
  fetchScreens: () => Promise<Screens>,
  /** Fetches what the screens need as well, such as texts. */
  alongside: () => Promise<unknown> = async () => undefined,
): LazyScreens<Screens> {
  let fetched: Screens | undefined;
  const load = async (): Promise<Screens> => {
    if (fetched) return fetched;
    const [screens] = await Promise.all([fetchScreens(), alongside()]);
    fetched = screens;
    return screens;
  };
  return {
    // `use` fetches again and reports a failure to the screen that needs the file.
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
      const retry = (): void => setAttempt(attempt + 1);
      useEffect(() => {
        if (failed) addEventListener("online", retry);
        return () => removeEventListener("online", retry);
      }, [failed]);
      return { screens, failed, retry };
    },
  };
}

/** Takes a screen's place while its file is fetched, and after that failed. */
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
    <Screen title={t("boot.unreachable.title")} shop={shop}>
      <p class="lead">{t("boot.unreachable")}</p>
      <div class="actions">
        <MainButton onClick={retry}>{t("tryAgain")}</MainButton>
      </div>
    </Screen>
  ) : (
    <main class="main" aria-busy="true" aria-label={t("boot.loading")}>
      <div class="waiting" aria-hidden="true">
        <span class="spinner spinner-large" />
      </div>
    </main>
  );
