import type { AdminStop } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { callWhole, type Listed } from "../api.ts";
import { say, sayWord } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { Field, ReasonField, Select } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { useAction } from "../ui/use-data.ts";

const KINDS = ["all", "rail", "pair", "merchant"] as const;

/** Stops payouts of one kind, with a reason. */
export function StopForm({
  onEnd,
}: {
  readonly onEnd: (stops: Listed<AdminStop> | undefined) => void;
}) {
  const { isBusy, error, run } = useAction();
  const [kind, setKind] = useState<string>("all");
  const stop = (event: SubmitEvent) => {
    const text = readForm(event);
    const body = { kind, subject: text("subject"), reason: text("reason") };
    run(async () => onEnd(await callWhole<Listed<AdminStop>>("/stops", { method: "POST", body })));
  };
  return (
    <FormDialog
      title={say("payouts.stop")}
      text={say("payouts.stop_text")}
      submit={sayWord("action", "stop")}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={stop}
      onClose={() => onEnd(undefined)}
    >
      <Select
        label={say("payouts.kind")}
        name="kind"
        value={kind}
        options={KINDS.map((name) => [name, say(`payouts.kind_${name}`)] as const)}
        onChoose={setKind}
      />
      {kind !== "all" && (
        <Field
          label={say("payouts.subject")}
          hint={say("payouts.subject_hint")}
          name="subject"
          required
        />
      )}
      <ReasonField />
    </FormDialog>
  );
}
