import type { ComponentChildren, TargetedEvent } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { say, sayWord, type WordOf } from "../say.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { usePaused } from "./live.ts";
import { NotFound } from "./not-found.tsx";
import type { Loaded } from "./use-data.ts";

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

/** A field of a form. A dialog may have a field of the same name as the screen behind it, so ids are made. */
export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: "date" | "email" | "password" | "text" | "datetime-local";
  readonly autocomplete?: string;
  readonly inputMode?: "numeric" | "decimal";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
  /** The text that the field begins with. Another one, such as after Back, replaces what the person wrote. */
  readonly initial?: string;
  /** The id of a `datalist` with texts to choose from. */
  readonly list?: string;
  readonly onFocus?: (event: TargetedEvent<HTMLInputElement>) => void;
  readonly onInput?: (event: TargetedEvent<HTMLInputElement>) => void;
}

export function Field({ label, hint, type = "text", initial, ...input }: FieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // A new element would lose the focus of a person who pressed Enter in it.
  useLayoutEffect(() => {
    if (field.current && initial !== undefined) field.current.value = initial;
  }, [initial]);
  const begun = initial !== undefined && { defaultValue: initial };
  const shared = { ...input, ...begun, id, ...(hint && { "aria-describedby": `${id}-hint` }) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* The types of the library know each kind of field alone. */}
      <input ref={field} {...shared} type={type as "text"} />
      {hint && (
        <small id={`${id}-hint`} class="muted">
          {hint}
        </small>
      )}
    </div>
  );
}

/** Why a person does something. It is required, and goes into the log of changes. */
export const ReasonField = ({ hint }: { readonly hint?: string }) => (
  <Field
    label={say("audit.reason")}
    name="reason"
    minLength={3}
    maxLength={500}
    required
    {...(hint && { hint })}
  />
);

/** A field for text of several lines, which is required. */
export function TextArea(props: {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  readonly maxLength: number;
}) {
  const { label, hint, name, maxLength } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={3}
        maxLength={maxLength}
        required
        aria-describedby={`${id}-hint`}
      />
      <small id={`${id}-hint`} class="muted">
        {hint}
      </small>
    </div>
  );
}

export function Select(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        name={props.name}
        value={props.value}
        onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const TONES: Readonly<Partial<Record<WordOf<"status">, string>>> = {
  in_review: "warn",
  completed: "good",
  failed: "danger",
  disabled: "danger",
  active: "good",
  invited: "warn",
  delivered: "good",
  failing: "warn",
  paused: "warn",
  suspended: "warn",
  exhausted: "danger",
  revoked: "danger",
  proposed: "warn",
  in_force: "good",
  rejected: "danger",
  offered: "good",
  stopped: "danger",
};

/** A status as a word. Its colour repeats the word. */
export function Status(props: {
  readonly word: WordOf<"status">;
  readonly reason?: WordOf<"reason"> | null;
}) {
  return (
    <span class={`tag ${TONES[props.word] ?? ""}`}>
      {sayWord("status", props.word)}
      {props.reason && `: ${sayWord("reason", props.reason)}`}
    </span>
  );
}

/**
 * A table that becomes a list of cards on a phone: each cell repeats the name of its column. The cards of a dense one have no
 * names, their first four cells in two lines, and each other cell in a line of its own.
 */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The columns of figures, which end in one line below each other. */
  readonly figures?: readonly string[];
  readonly isDense?: true;
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}) {
  const classOf = (name: string | undefined) =>
    name !== undefined && props.figures?.includes(name) ? "figure" : undefined;
  return (
    <table class={props.isDense ? "table dense" : "table"}>
      <caption class="hidden">{props.caption}</caption>
      <thead>
        <tr>
          {props.columns.map((name) => (
            <th key={name} scope="col" class={classOf(name)}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td
                key={props.columns[index]}
                class={classOf(props.columns[index])}
                data-label={props.columns[index]}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A list of names and values. */
export function Facts(props: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  const shown = props.facts.filter(([, value]) => value !== null && value !== "");
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
