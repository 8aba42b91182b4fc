import { useState } from "preact/hooks";
import { linkTo } from "../route.ts";
import { say } from "../say.ts";
import { readStored, store } from "../stored.ts";
import { FormDialog } from "./dialogs.tsx";
import { Field } from "./fields.tsx";
import { readForm } from "./form.ts";

type Filters = Readonly<Record<string, string>>;

interface View {
  readonly name: string;
  readonly filters: Filters;
}

const VIEWS_MAX = 20;

/**
 * Filters that a person named, above the list of a place. They are kept in the browser under the person's id, because
 * a view is an address of the console and nothing else.
 */
export function Views(props: {
  readonly place: string;
  readonly personId: string;
  readonly filters: Filters;
}) {
  const { place } = props;
  const { cursor: _, ...filters } = props.filters;
  const key = `views ${place} ${props.personId}`;
  const [views, setViews] = useState(() => readViews(key));
  const [isNaming, setNaming] = useState(false);
  const keep = (savedViews: readonly View[]): void => {
    setViews(savedViews);
    store(key, JSON.stringify(savedViews));
  };
  const address = linkTo(place, filters);
  const isSaved = views.some((view) => linkTo(place, view.filters) === address);
  const mayName = Object.keys(filters).length > 0 && !isSaved && views.length < VIEWS_MAX;
  const save = (event: SubmitEvent): void => {
    const name = readForm(event)("view");
    keep([...views.filter((view) => view.name !== name), { name, filters }]);
    setNaming(false);
  };
  if (views.length === 0 && !mayName) return null;
  return (
    <nav class="views" aria-label={say("views.label")}>
      {views.map((view) => (
        <span key={view.name} class="view">
          <a
            href={linkTo(place, view.filters)}
            aria-current={linkTo(place, view.filters) === address ? "page" : undefined}
          >
            {view.name}
          </a>
          <button
            type="button"
            aria-label={say("views.remove", { name: view.name })}
            onClick={() => keep(views.filter(({ name }) => name !== view.name))}
          >
            ×
          </button>
        </span>
      ))}
      {mayName && (
        <button type="button" class="button quiet" onClick={() => setNaming(true)}>
          {say("views.save")}
        </button>
      )}
      {isNaming && <NameView onSave={save} onClose={() => setNaming(false)} />}
    </nav>
  );
}

const NameView = (props: {
  readonly onSave: (event: SubmitEvent) => void;
  readonly onClose: () => void;
}) => (
  <FormDialog
    title={say("views.save")}
    text={say("views.text")}
    submit={say("common.save")}
    isBusy={false}
    error={undefined}
    onSubmit={props.onSave}
    onClose={props.onClose}
  >
    <Field label={say("views.name")} name="view" maxLength={40} required />
  </FormDialog>
);

/** Returns the person's views. Stored text that is not a list of views is ignored. */
function readViews(key: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(readStored(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  const { name, filters } = (value ?? {}) as Partial<View>;
  return (
    typeof name === "string" &&
    typeof filters === "object" &&
    Object.values(filters).every((text) => typeof text === "string")
  );
}
