import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../say.ts";
import { usePaused } from "./live.ts";

/** A screen with its title, which receives the focus when the screen opens. */
export function Screen(props: {
  readonly title: string;
  /** It says when it cannot follow changes. */
  readonly isLive?: true;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const paused = usePaused() && say("common.paused");
  // An effect after paint could take the focus from a field in which somebody is already typing.
  useLayoutEffect(() => heading.current?.focus(), []);
  useLayoutEffect(() => {
    document.title = `${props.title} – ${say("app.name")}`;
  }, [props.title]);
  return (
    <>
      <div class="head">
        <h1 ref={heading} tabIndex={-1}>
          {props.title}
        </h1>
        {props.actions && <div class="actions">{props.actions}</div>}
      </div>
      {props.isLive && <p role="status">{paused}</p>}
      {props.children}
    </>
  );
}
