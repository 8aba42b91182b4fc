import type { CatalogueView } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { say } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { Field, ReasonField, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

/** The item that a person is about to stop. A pair or a merchant is named in the dialog. */
export interface Stopping {
  readonly kind: string;
  readonly subject?: string;
}

const NAMED_KINDS = ["pair", "merchant"] as const;

/** Asks why, and stops the item. The answer shows the catalogue with the stop. */
export function Stop(props: {
  readonly stopping: Stopping;
  readonly onEnd: (view: CatalogueView | undefined) => void;
}) {
  const { subject } = props.stopping;
  const { isBusy, error, run } = useAction();
  const [kind, setKind] = useState(props.stopping.kind);
  const stop = (event: SubmitEvent) => {
    const text = readForm(event);
    const body = { kind, subject: subject ?? text("subject"), reason: text("reason") };
    run(async () =>
      props.onEnd(await call<CatalogueView>("/catalogue/stops", { method: "POST", body })),
    );
  };
  return (
    <FormDialog
      title={
        subject === undefined
          ? say("catalogue.stop_pair")
          : say("catalogue.stop_title", { what: subject })
      }
      text={say("catalogue.stop_text")}
      submit={say("catalogue.stop")}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={stop}
      onClose={() => props.onEnd(undefined)}
    >
      {subject === undefined && (
        <>
          <Select
            label={say("payouts.kind")}
            name="kind"
            value={kind}
            options={NAMED_KINDS.map((name) => [name, say(`payouts.kind_${name}`)] as const)}
            onChoose={setKind}
          />
          <Field
            label={say("payouts.subject")}
            hint={say("catalogue.subject_hint")}
            name="subject"
            maxLength={80}
            required
          />
        </>
      )}
      <ReasonField hint={say("order.reason_hint")} />
    </FormDialog>
  );
}
