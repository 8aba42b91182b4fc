import type { AdminPayout, AdminStop } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import { goTo, linkTo, type ScreenProps } from "../route.ts";
import { say, sayAge, sayAmount, sayEuro, sayList, sayTime, sayWord } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { FileButton } from "../ui/file-button.tsx";
import { readForm } from "../ui/form.ts";
import { Empty, Facts, Field, Loading, ReasonField, Screen, Select } from "../ui/parts.tsx";
import { type Loaded, useAction, useData } from "../ui/use-data.ts";
import { PayoutLimits } from "./payout-limits.tsx";

const KINDS = ["all", "rail", "pair", "merchant"] as const;

/** Payouts that wait, their approvals, limits and stops. */
export function Payouts({ route, may }: ScreenProps) {
  const which = route.query["which"] === "under_way" ? "under_way" : "waiting";
  const payouts = useData(
    which,
    () => callWhole<Listed<AdminPayout>>("/payouts", { query: { which } }),
    ["payouts", "stops"],
  );
  const stops = useData("stops", () => callWhole<Listed<AdminStop>>("/stops"), ["stops"]);
  const [isStopping, setStopping] = useState(false);
  return (
    <Screen
      title={say("nav.payouts")}
      isLive
      actions={
        may("payouts.stop") && (
          <button type="button" class="button danger" onClick={() => setStopping(true)}>
            {say("payouts.stop")}
          </button>
        )
      }
    >
      <Loading loaded={stops}>
        {({ data }) => (
          <Stops stops={data} mayResume={may("payouts.approve")} onChange={stops.show} />
        )}
      </Loading>
      <div class="filters">
        <Select
          label={say("payouts.which")}
          name="which"
          value={which}
          options={[
            ["waiting", say("payouts.waiting")],
            ["under_way", say("payouts.under_way")],
          ]}
          onChoose={(value) => goTo("payouts", { which: value === "waiting" ? undefined : value })}
        />
        <FileButton label={say("file.csv")} path="/payouts/export" query={{ which }} />
      </div>
      <Waiting payouts={payouts} />
      <PayoutLimits mayLower={may("payouts.stop")} />
      {isStopping && (
        <Stop
          onEnd={(answer) => {
            setStopping(false);
            if (answer) stops.show(answer);
          }}
        />
      )}
    </Screen>
  );
}

function Waiting({ payouts }: { readonly payouts: Loaded<Listed<AdminPayout>> }) {
  return (
    <Loading loaded={payouts}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty text={say("payouts.empty")}>
            <a class="button" href={linkTo("orders", { status: "sending" })}>
              {say("payouts.see_sending")}
            </a>
          </Empty>
        ) : (
          data.map((payout) => (
            <Payout key={payout.payoutId} payout={payout} onChange={payouts.reload} />
          ))
        )
      }
    </Loading>
  );
}

function Payout({
  payout,
  onChange,
}: {
  readonly payout: AdminPayout;
  readonly onChange: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const { approvedBy, approvalsNeeded } = payout;
  const approve = () =>
    run(async () => {
      await call(`/payouts/${payout.payoutId}/approve`, { method: "POST", body: {} });
      onChange();
    });
  return (
    <section class="card">
      <h2>
        {sayAmount(payout.amount)} <span class="muted">{sayEuro(payout.countsAsEuroCents)}</span>
      </h2>
      <Facts
        facts={[
          [
            say("orders.order"),
            <a key="order" href={linkTo(`orders/${payout.orderId}`)}>
              {payout.orderId}
            </a>,
          ],
          [say("orders.merchant"), payout.merchantName],
          [say("payouts.purpose"), sayWord("purpose", payout.purpose)],
          [say("payouts.rail"), payout.rail],
          [say("order.to"), payout.address && <code>{payout.address}</code>],
          [say("order.state"), sayWord("payout", payout.state)],
          [
            say("moves.transaction"),
            payout.transactionHash && <code>{payout.transactionHash}</code>,
          ],
          [say("payouts.waits_for"), payout.waitsFor],
          [say("order.at"), sayTime(payout.createdAt)],
          [say("moves.age"), sayAge(Math.max(0, Date.now() / 1_000 - payout.createdAt))],
          [
            say("payouts.approvals"),
            `${approvedBy.length} / ${approvalsNeeded}${approvedBy.length > 0 ? `: ${sayList(approvedBy)}` : ""}`,
          ],
        ]}
      />
      <ErrorNotice error={error} />
      {payout.mayApprove && (
        <button type="button" class="button primary" disabled={isBusy} onClick={approve}>
          {say("payouts.approve")}
        </button>
      )}
    </section>
  );
}

/** Stops in force, each with the button by which one of two people agrees to end it. */
export function Stops(props: {
  readonly stops: readonly AdminStop[];
  readonly mayResume: boolean;
  readonly onChange: (stops: Listed<AdminStop>) => void;
}) {
  const { isBusy, error, run } = useAction();
  if (props.stops.length === 0) return null;
  const resume = ({ kind, subject }: AdminStop) =>
    run(async () =>
      props.onChange(
        await callWhole<Listed<AdminStop>>("/stops/resume", {
          method: "POST",
          body: { kind, subject },
        }),
      ),
    );
  return (
    <section>
      <h2>{say("payouts.stops")}</h2>
      <ErrorNotice error={error} />
      {props.stops.map((stop) => (
        <div key={`${stop.kind} ${stop.subject}`} class="notice danger">
          <p>
            <strong>
              {stop.kind === "all"
                ? say("payouts.everything")
                : `${say(`payouts.kind_${stop.kind}`)} ${stop.subject}`}
            </strong>
            : {stop.reason}
          </p>
          <p class="small">
            {stop.setBy}, {sayTime(stop.since)}.{" "}
            {say("payouts.agreed", { count: stop.agreed.length, needed: stop.peopleToResume })}
          </p>
          {props.mayResume && (
            <button type="button" class="button" disabled={isBusy} onClick={() => resume(stop)}>
              {say("payouts.resume")}
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

function Stop({ onEnd }: { readonly onEnd: (stops: Listed<AdminStop> | undefined) => void }) {
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
