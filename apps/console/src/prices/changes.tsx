import type { PriceBook, PriceChangeData, PriceRule } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call, callWhole, type Listed } from "../api.ts";
import { goTo, linkTo } from "../route.ts";
import { say, sayTime } from "../say.ts";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ReasonField } from "../ui/fields.tsx";
import { readForm } from "../ui/form.ts";
import { ListOf } from "../ui/list-of.tsx";
import { Empty } from "../ui/loading.tsx";
import { Status } from "../ui/status.tsx";
import { Facts, Table } from "../ui/table.tsx";
import { useAction, useData } from "../ui/use-data.ts";
import { Preview } from "./preview.tsx";
import { FIGURES, matchesOf } from "./words.ts";

type Which = "proposed" | "scheduled" | "past";

interface ChangesProps {
  readonly which: Which;
  /** The place after the page before. Absent for the first page. */
  readonly cursor: string | undefined;
  readonly book: PriceBook;
}

/** A page of changes of prices, each with its figures and the actions that the person may take. */
export function Changes({ which, cursor, book }: ChangesProps) {
  const filters = { which, ...(cursor !== undefined && { cursor }) };
  const loaded = useData(
    `${which} ${cursor ?? ""}`,
    () => callWhole<Listed<PriceChangeData>>("/prices/changes", { query: filters }),
    ["prices"],
  );
  const [previewed, setPreviewed] = useState<number>();
  // Another person may decide while this one writes a reason. The change then leaves the list, and the dialog stays.
  const [decision, setDecision] = useState<Decision>();
  const decided = (): void => {
    setDecision(undefined);
    if (decision?.verb === "undo") goTo("prices", { which: "proposed" });
    else loaded.reload();
  };
  return (
    <>
      <ListOf
        loaded={loaded}
        place="prices"
        filters={filters}
        empty={
          <Empty text={say(`prices.empty_${which}`)}>
            <a class="button" href={linkTo("prices")}>
              {say("prices.see_rules")}
            </a>
          </Empty>
        }
      >
        {(data) =>
          data.map((change) => (
            <Change
              key={change.changeId}
              change={change}
              book={book}
              isPreviewed={previewed === change.changeId}
              onPreview={() => setPreviewed(change.changeId)}
              onDecide={(verb) => setDecision({ changeId: change.changeId, verb })}
              onChange={loaded.reload}
            />
          ))
        }
      </ListOf>
      {decision && <Reason {...decision} onDone={decided} onClose={() => setDecision(undefined)} />}
    </>
  );
}

/** A decision that needs a reason. */
interface Decision {
  readonly changeId: number;
  readonly verb: "reject" | "undo";
}

interface ChangeProps {
  readonly change: PriceChangeData;
  readonly book: PriceBook;
  readonly isPreviewed: boolean;
  readonly onPreview: () => void;
  readonly onDecide: (verb: Decision["verb"]) => void;
  readonly onChange: () => void;
}

function Change(props: ChangeProps) {
  const { change, book } = props;
  const { changeId, reference, status, rule, undoes } = change;
  const current = book.rules.find((one) => one.reference === reference);
  return (
    <section class="card">
      <h2>
        {reference} <Status word={status} />
      </h2>
      <Facts
        facts={[
          [say("prices.matches"), rule && matchesOf(rule)],
          [
            say("prices.effective"),
            change.effectiveFrom === null
              ? say("prices.when_approved")
              : sayTime(change.effectiveFrom),
          ],
          [say("audit.reason"), change.reason],
          [say("prices.proposed_by"), `${change.proposedBy}, ${sayTime(change.proposedAt)}`],
          [
            say("prices.decided_by"),
            change.decidedBy && change.decidedAt
              ? `${change.decidedBy}, ${sayTime(change.decidedAt)}`
              : null,
          ],
        ]}
      />
      {undoes !== null && <p>{say("prices.undoes", { id: String(undoes) })}</p>}
      {rule === null ? (
        <p>{say("prices.to_files")}</p>
      ) : (
        <Figures rule={rule} current={status === "proposed" ? current : undefined} />
      )}
      <Actions {...props} />
      {props.isPreviewed && (
        <Preview book={book} rule={rule ?? current} query={async () => ({ changeId })} />
      )}
    </section>
  );
}

/** The figures of a rule, beside those in force where nobody has decided yet. */
function Figures({
  rule,
  current,
}: {
  readonly rule: PriceRule;
  readonly current: PriceRule | undefined;
}) {
  const columns = [
    say("prices.figure"),
    ...(current ? [say("prices.before")] : []),
    say("prices.after"),
  ];
  const rows = FIGURES.map(([name, figureOf]) => {
    const [before, after] = [current && figureOf(current), figureOf(rule)];
    const shown = before === undefined || before === after ? after : <strong>{after}</strong>;
    return { key: name, cells: [say(name), ...(current ? [before] : []), shown] };
  });
  return (
    <>
      <Table caption={rule.reference} columns={columns} rows={rows} />
      {!rule.enabled && <p class="notice warn">{say("prices.disabled")}</p>}
    </>
  );
}

function Actions({ change, onPreview, onDecide, onChange, isPreviewed }: ChangeProps) {
  const { isBusy, error, run } = useAction();
  const approve = () =>
    run(async () => {
      await call(`${pathOf(change)}/approve`, { method: "POST", body: {} });
      onChange();
    });
  return (
    <>
      <ErrorNotice error={error} />
      {change.mayReject && !change.mayApprove && <p class="muted">{say("prices.own")}</p>}
      <div class="actions">
        {change.mayApprove && (
          <button type="button" class="button primary" aria-disabled={isBusy} onClick={approve}>
            {say("prices.approve")}
          </button>
        )}
        {!isPreviewed && ["proposed", "scheduled", "in_force"].includes(change.status) && (
          <button type="button" class="button" onClick={onPreview}>
            {say("prices.preview")}
          </button>
        )}
        {change.mayReject && (
          <button type="button" class="button danger" onClick={() => onDecide("reject")}>
            {say("prices.reject")}
          </button>
        )}
        {change.mayUndo && (
          <button type="button" class="button danger" onClick={() => onDecide("undo")}>
            {say("prices.undo")}
          </button>
        )}
      </div>
    </>
  );
}

const pathOf = ({ changeId }: Pick<Decision, "changeId">): string => `/prices/changes/${changeId}`;

/** Asks for the reason of a rejection or of an undo. */
function Reason(props: Decision & { readonly onDone: () => void; readonly onClose: () => void }) {
  const { verb, onDone, onClose } = props;
  const { isBusy, error, run } = useAction();
  const send = (event: SubmitEvent) => {
    const reason = readForm(event)("reason");
    run(async () => {
      await call(`${pathOf(props)}/${verb}`, { method: "POST", body: { reason } });
      onDone();
    });
  };
  return (
    <FormDialog
      title={say(`prices.${verb}`)}
      text={say(`prices.${verb}_text`)}
      submit={say(`prices.${verb}`)}
      tone="danger"
      isBusy={isBusy}
      error={error}
      onSubmit={send}
      onClose={onClose}
    >
      <ReasonField />
    </FormDialog>
  );
}
