import type { AdminPayout } from "@exchange/contract/admin";
import type { ComponentChildren } from "preact";
import { call } from "../api.ts";
import { linkTo } from "../route.ts";
import { say, sayAmount, sayList, sayWord } from "../say.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Short } from "../ui/short.tsx";
import { useAction } from "../ui/use-data.ts";
import { findStop, stopName } from "./stops.tsx";
import { lacksApprovals, waitDetail } from "./waits.ts";

/** The order with its merchant. A refund says that it is one. */
export const Order = ({
  payout: { orderId, merchantId, merchantName, purpose },
}: {
  readonly payout: AdminPayout;
}) => (
  <>
    <a href={linkTo(`orders/${orderId}`)}>{orderId}</a>
    <small class="under">
      {merchantName} <code>{merchantId}</code>
      {purpose !== "payout" && <span class="tag warn">{sayWord("purpose", purpose)}</span>}
    </small>
  </>
);

export const Destination = ({ payout }: { readonly payout: AdminPayout }) => (
  <>
    {payout.rail}
    {payout.address && (
      <small class="under">
        <Short text={payout.address} />
        {payout.memo && ` ${say("order.with_memo", { memo: payout.memo })}`}
      </small>
    )}
  </>
);

/** The detail of the cause: the words of a rail and of an audit are in English. */
export function Why({
  payout: { wait, waitsFor, transactionHash },
}: {
  readonly payout: AdminPayout;
}) {
  const detail = wait === null ? "" : waitDetail(wait, waitsFor ?? "");
  return (
    <>
      {detail !== "" && (
        <span {...(detail === waitsFor && { class: "written", lang: "en" })}>{detail}</span>
      )}
      {transactionHash !== null && (
        <span class="under">
          <Short text={transactionHash} />
        </span>
      )}
    </>
  );
}

/** The approvals that there are, where any are needed. */
export function approvalsOf(payout: AdminPayout): ComponentChildren {
  const { approvedBy, approvalsNeeded } = payout;
  if (approvedBy.length === 0 && !lacksApprovals(payout)) return null;
  return (
    <>
      {say("payouts.approvals_of", { count: approvedBy.length, needed: approvalsNeeded })}
      {approvedBy.length > 0 && <small class="under">{sayList(approvedBy)}</small>}
    </>
  );
}

/** The button that ends the wait: an approval where one is missing, and otherwise the way to the stop. */
export function nextOf(payout: AdminPayout, onChange: () => void): ComponentChildren {
  if (payout.mayApprove && lacksApprovals(payout)) {
    return <Approve payout={payout} onChange={onChange} />;
  }
  return payout.stoppedBy.map((stop) => (
    <button
      key={stopName(stop)}
      type="button"
      class="button"
      aria-label={say("payouts.see_stop_of", { stop: stopName(stop) })}
      onClick={() => findStop(stop)?.focus()}
    >
      {say("payouts.see_stop")}
    </button>
  ));
}

/** Approves one payout, after a fresh proof. Its name says which, because a list has many of them. */
function Approve(props: { readonly payout: AdminPayout; readonly onChange: () => void }) {
  const { payoutId, orderId, amount, wait, waitsFor } = props.payout;
  const { isBusy, error, run } = useAction();
  const approve = () =>
    run(async () => {
      const body = { waitCode: wait?.code ?? null, waitsFor: waitsFor ?? undefined };
      await call(`/payouts/${payoutId}/approve`, { method: "POST", body });
      props.onChange();
    });
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        aria-label={say("payouts.approve_of", { id: String(orderId), amount: sayAmount(amount) })}
        onClick={approve}
      >
        {say("payouts.approve")}
      </button>
      <ErrorNotice error={error} />
    </>
  );
}
