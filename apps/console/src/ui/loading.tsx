import type { ComponentChildren } from "preact";
import { say } from "../say.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { NotFound } from "./not-found.tsx";
import type { Loaded } from "./use-data.ts";

/** The id of one thing, and the list to which a person goes back where nothing has it. */
interface Sought {
  readonly id: string;
  readonly place: string;
  readonly label: string;
}

/** An id of another form is not accepted, and so it is the id of nothing. */
const FINDS_NOTHING: ReadonlySet<string> = new Set(["NOT_FOUND", "INVALID_INPUT"]);

/** Shows loaded data, bars until then, or the error with a way to try again or back to the list. */
export function Loading<Data>(props: {
  readonly loaded: Loaded<Data>;
  readonly sought?: Sought;
  /** Names the part of a screen that failed, where the screen has several. */
  readonly title?: string;
  readonly children: (data: Data) => ComponentChildren;
}) {
  const { loaded, sought } = props;
  const { data, error, reload } = loaded;
  if (data !== undefined)
    return (
      <>
        <ErrorNotice error={error} />
        {props.children(data)}
      </>
    );
  if (error && sought && FINDS_NOTHING.has(error.code)) {
    return <NotFound {...sought} text={say("not_found.item", { id: sought.id })} />;
  }
  if (error) {
    return (
      <div class="card">
        {props.title && <h2>{props.title}</h2>}
        <ErrorNotice error={error} />
        <button type="button" class="button" onClick={reload}>
          {say("common.again")}
        </button>
      </div>
    );
  }
  return (
    <div class="card" aria-busy="true">
      <span class="hidden">{say("common.loading")}</span>
      <div class="bone" />
      <div class="bone short" />
    </div>
  );
}

/** An empty state that leads on. */
export function Empty(props: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="card empty">
      <p>{props.text}</p>
      {props.children}
    </div>
  );
}
