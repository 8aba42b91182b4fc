import type { MerchantOrigins } from "@exchange/contract/admin";
import { call } from "../api.ts";
import { say } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { Empty, Loading } from "../ui/loading.tsx";
import { useAction, useData } from "../ui/use-data.ts";

/** The origins whose pages may open the popup. */
export function Origins(props: {
  /** The beginning of the merchant's paths; empty for the person's own merchant. */
  readonly base: string;
  readonly isManaged: boolean;
}) {
  const { base, isManaged } = props;
  const path = `${base}/origins`;
  const loaded = useData(path, () => call<MerchantOrigins>(path));
  const { isBusy, error, run } = useAction();
  const change = (body: object, form?: HTMLFormElement) =>
    run(async () => {
      loaded.show(await call<MerchantOrigins>(path, { method: "PATCH", body }));
      form?.reset();
    });
  const add = (event: SubmitEvent) => {
    const origin = readForm(event)("origin");
    change({ add: [origin] }, event.currentTarget as HTMLFormElement);
  };
  return (
    <section>
      <h2>{say("origins.title")}</h2>
      <p class="muted">{say("origins.text")}</p>
      <ErrorNotice error={error} />
      <Loading loaded={loaded}>
        {({ origins }) =>
          origins.length === 0 ? (
            <Empty text={say("origins.empty")} />
          ) : (
            <ul class="list">
              {origins.map((origin) => (
                <li key={origin} class="row">
                  <code>{origin}</code>
                  {isManaged && (
                    <button
                      type="button"
                      class="button"
                      aria-label={say("origins.remove", { origin })}
                      aria-disabled={isBusy}
                      onClick={() => change({ remove: [origin] })}
                    >
                      {say("common.remove")}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
      {isManaged && (
        <form class="filters" onSubmit={add}>
          <Field label={say("origins.new")} name="origin" required />
          <button type="submit" class="button" aria-disabled={isBusy}>
            {say("origins.add")}
          </button>
        </form>
      )}
    </section>
  );
}
