import type { ComponentChildren, ComponentType } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { CallError } from "../api.ts";
import { say } from "../say.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { reloadLater } from "./reload-later.ts";
import { Screen } from "./screen.tsx";
import { tryAgainLater } from "./use-data.ts";

/** Says why the console cannot be shown. Tries again on request, and by itself after a failure that passes. */
export function NotLoaded(props: { readonly error: CallError; readonly onAgain: () => void }) {
  const { error, onAgain } = props;
  useEffect(() => tryAgainLater(error, onAgain), [error]);
  return (
    <main class="gate">
      <Screen title={say("not_loaded.title")}>
        <ErrorNotice error={error} />
        <Again onAgain={onAgain} />
      </Screen>
    </main>
  );
}

/** The file of a part of the console cannot be fetched. */
class NotFetched extends Error {}

/** Fetches a part of the console when it is first shown. */
export const fetchLater = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazy(() =>
    load().catch(() => {
      throw new NotFetched();
    }),
  );

export const Waiting = () => <p class="muted">{say("common.loading")}</p>;

/**
 * Shows a part of the console once its file is there, or says that it failed. After an upgrade an open page asks for
 * files that no longer exist, so the button reloads the page. A `page` and a `screen` have no other heading.
 */
export function Fetched(props: {
  readonly as: "page" | "screen" | "part";
  readonly children: ComponentChildren;
}) {
  const [error] = useErrorBoundary((thrown) => {
    if (!(thrown instanceof NotFetched)) reportError(thrown);
  });
  const isMissing = error instanceof NotFetched;
  useEffect(() => (isMissing && props.as !== "part" ? reloadLater() : undefined), [isMissing]);
  if (error === undefined)
    return <Suspense fallback={props.as !== "part" && <Waiting />}>{props.children}</Suspense>;
  const failed = (
    <>
      {isMissing ? (
        <p class="notice danger" role="alert">
          {say("not_loaded.part")}
        </p>
      ) : (
        <ErrorNotice error={new CallError("INTERNAL_ERROR", "")} />
      )}
      <Again onAgain={() => location.reload()} />
    </>
  );
  if (props.as === "part")
    return (
      <div class="card" ref={showInPlace}>
        {failed}
      </div>
    );
  const screen = <Screen title={say("not_loaded.title")}>{failed}</Screen>;
  return props.as === "page" ? <main class="gate">{screen}</main> : screen;
}

/** A part may stand below the edge of the window. */
const showInPlace = (part: Element | null): void => part?.scrollIntoView({ block: "nearest" });

const Again = ({ onAgain }: { readonly onAgain: () => void }) => (
  <div class="actions">
    <button type="button" class="button" onClick={onAgain}>
      {say("common.again")}
    </button>
  </div>
);
