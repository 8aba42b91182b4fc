import type { AdminPayoutLimits } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { CallError, callWhole, type Listed } from "../api.ts";
import { say, sayEuro } from "../say.ts";
import { AmountField } from "../ui/amount-field.tsx";
import { FormDialog } from "../ui/dialogs.tsx";
import { ReasonField } from "../ui/fields.tsx";
import { exactOf, readForm } from "../ui/form.ts";
import { Loading } from "../ui/loading.tsx";
import { Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";

const MEMBERS = ["payoutCents", "hourCents", "dayCents", "approvalAboveCents"] as const;
type Member = (typeof MEMBERS)[number];
/** The total has hourly and daily limits only. */
const membersOf = ({ kind }: AdminPayoutLimits): readonly Member[] =>
  kind === "total" ? ["hourCents", "dayCents"] : MEMBERS;

const nameOf = ({ kind, currency }: AdminPayoutLimits): string =>
  kind === "currency" ? (currency ?? "").toUpperCase() : say(`limits.${kind}`);

/** The limits of payouts with the part of each that is used, and the form that lowers them. */
export function PayoutLimits({ mayLower }: { readonly mayLower: boolean }) {
  const loaded = useData("limits", () => callWhole<Listed<AdminPayoutLimits>>("/payouts/limits"), [
    "payouts",
  ]);
  const [changed, setChanged] = useState<AdminPayoutLimits>();
  return (
    <section>
      <h2>{say("limits.title")}</h2>
      <p class="muted">{say("limits.text")}</p>
      <Loading loaded={loaded}>
        {({ data }) => <Limits rows={data} onLower={mayLower ? setChanged : undefined} />}
      </Loading>
      {changed && (
        <Lower
          limits={changed}
          onEnd={(answer) => {
            setChanged(undefined);
            if (answer) loaded.show(answer);
          }}
        />
      )}
    </section>
  );
}

function Limits(props: {
  readonly rows: readonly AdminPayoutLimits[];
  readonly onLower: ((limits: AdminPayoutLimits) => void) | undefined;
}) {
  const { rows, onLower } = props;
  return (
    <Table
      caption={say("limits.title")}
      columns={[
        say("limits.for"),
        ...MEMBERS.map((member) => say(`limits.${member}`)),
        ...(onLower ? [say("limits.change")] : []),
      ]}
      rows={rows.map((row) => ({
        key: nameOf(row),
        cells: [
          nameOf(row),
          sayLimit(row.payoutCents),
          sayUse(row.hourCents, row.releasedHourCents),
          sayUse(row.dayCents, row.releasedDayCents),
          sayLimit(row.approvalAboveCents),
          ...(onLower
            ? [
                <button
                  key="lower"
                  type="button"
                  class="button"
                  aria-label={say("limits.lower_of", { name: nameOf(row) })}
                  onClick={() => onLower(row)}
                >
                  {say("limits.lower")}
                </button>,
              ]
            : []),
        ],
      }))}
    />
  );
}

const sayLimit = (cents: number | null): string =>
  cents === null ? say("limits.none") : sayEuro(cents);

/** The default has no use of its own. */
const sayUse = (limit: number | null, released: number | null): string =>
  released === null
    ? sayLimit(limit)
    : say("limits.used", { used: sayEuro(released), limit: sayLimit(limit) });

function Lower(props: {
  readonly limits: AdminPayoutLimits;
  readonly onEnd: (answer: Listed<AdminPayoutLimits> | undefined) => void;
}) {
  const { limits, onEnd } = props;
  const { isBusy, error, run } = useAction();
  const lower = (event: SubmitEvent) => {
    const text = readForm(event);
    run(async () => {
      const written = membersOf(limits)
        .filter((member) => text(member) !== "")
        .map(async (member) => [member, centsOf(await exactOf(text(member)))] as const);
      const { kind, currency } = limits;
      const body = {
        ...{ kind, ...(currency !== null && { currency }), reason: text("reason") },
        ...Object.fromEntries(await Promise.all(written)),
      };
      onEnd(await callWhole("/payouts/limits", { method: "POST", body }));
    });
  };
  return (
    <FormDialog
      title={say("limits.lower_of", { name: nameOf(limits) })}
      text={say("limits.lower_text")}
      submit={say("limits.lower")}
      isBusy={isBusy}
      error={error}
      onSubmit={lower}
      onClose={() => onEnd(undefined)}
    >
      {membersOf(limits).map((member) => (
        <AmountField
          key={member}
          label={say(`limits.${member}`)}
          hint={say("limits.now", { limit: sayLimit(limits[member]) })}
          name={member}
        />
      ))}
      <ReasonField />
    </FormDialog>
  );
}

/** Returns the cents of an amount such as 1500 or 1500.50, exactly. */
function centsOf(text: string): number {
  const [, whole, fraction = ""] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new CallError("NOT_AMOUNT", "");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}
