import type { OrderStory } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { say, sayTime } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextArea } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

/** The notes of people on an order, and a form for another one. */
export function Notes(props: {
  readonly story: OrderStory;
  readonly onChange: (story: OrderStory) => void;
}) {
  const { notes, actions, orderId } = props.story;
  const { isBusy, error, run } = useAction();
  const mayWrite = actions.includes("note");
  if (notes.length === 0 && !mayWrite) return null;
  const write = (event: SubmitEvent) => {
    const form = event.currentTarget as HTMLFormElement;
    const body = { note: readForm(event)("note") };
    run(async () => {
      props.onChange(await call<OrderStory>(`/orders/${orderId}/notes`, { method: "POST", body }));
      form.reset();
    });
  };
  return (
    <section>
      <h2>{say("order.notes")}</h2>
      <div class="card">
        {notes.length > 0 && (
          <ol class="notes">
            {notes.map(({ at, person, note }) => (
              <li key={`${at} ${person} ${note}`}>
                <span class="muted small">
                  {person}, {sayTime(at)}
                </span>
                <p class="written">{note}</p>
              </li>
            ))}
          </ol>
        )}
        {mayWrite && (
          <form onSubmit={write}>
            <TextArea
              label={say("order.note")}
              hint={say("order.note_hint")}
              name="note"
              maxLength={2_000}
            />
            <ErrorNotice error={error} />
            <button type="submit" class="button" aria-disabled={isBusy}>
              {say("order.write_note")}
            </button>
          </form>
        )}
      </div>
    </section>
  );
}
