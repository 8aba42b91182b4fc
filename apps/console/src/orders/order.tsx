import type { OrderAction, OrderStory } from "@exchange/contract/admin";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import type { ScreenProps } from "../route.ts";
import { say, sayAmount, sayList, sayTime, sayWord } from "../say.ts";
import { AmountField } from "../ui/amount-field.tsx";
import { FormDialog } from "../ui/dialogs.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ReasonField, Select } from "../ui/fields.tsx";
import { exactOf, readForm } from "../ui/form.ts";
import { Loading } from "../ui/loading.tsx";
import { Screen } from "../ui/screen.tsx";
import { Status } from "../ui/status.tsx";
import { Facts } from "../ui/table.tsx";
import { type Loaded, useAction, useData } from "../ui/use-data.ts";
import { MoneyFlow } from "./order-flow.tsx";
import { Address, Head, Notices } from "./order-head.tsx";
import { Books, Decisions, Payments, Payouts, Webhooks } from "./order-money.tsx";
import { Notes } from "./order-notes.tsx";

/** The story of an order as a page, with the actions that its status and the person's roles allow. */
export function Order({ route, may }: ScreenProps) {
  const [, orderId = ""] = route.path;
  const loaded = useData(
    orderId,
    () => call<OrderStory>(`/orders/${encodeURIComponent(orderId)}`),
    ["orders", "reviews", "payouts"],
  );
  const [action, setAction] = useState<Decision>();
  return (
    <Screen
      title={say("order.title", { id: orderId })}
      isLive
      actions={
        loaded.data && <Actions story={loaded.data} onChoose={setAction} onChange={loaded} />
      }
    >
      <Loading loaded={loaded} sought={{ id: orderId, place: "orders", label: say("nav.orders") }}>
        {(story) => <Story may={may} story={story} onChange={loaded.show} />}
      </Loading>
      {action && loaded.data && (
        <Decide
          action={action}
          story={loaded.data}
          onEnd={(story) => {
            setAction(undefined);
            if (story) loaded.show(story);
          }}
        />
      )}
    </Screen>
  );
}

/** The actions that ask why. */
const DECISIONS = ["release", "refund", "approve_refund_address", "cancel", "hold"] as const;
type Decision = (typeof DECISIONS)[number];

/** The buttons of the actions that are possible now. To take or free an order needs no reason. */
function Actions(props: {
  readonly story: OrderStory;
  readonly onChoose: (action: Decision) => void;
  readonly onChange: Pick<Loaded<OrderStory>, "show" | "reload">;
}) {
  const { actions, orderId, reviewer } = props.story;
  const { isBusy, error, run } = useAction();
  const change = (action: OrderAction, body?: object) =>
    run(async () => {
      try {
        const path = `/orders/${orderId}/${action}`;
        props.onChange.show(await call<OrderStory>(path, { method: "POST", body }));
      } catch (failed) {
        // Somebody else was earlier. The story says who.
        props.onChange.reload();
        throw failed;
      }
    });
  return (
    <>
      <ErrorNotice error={error} />
      {actions.includes("take") && (
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => change("take")}>
          {sayWord("action", "take")}
        </button>
      )}
      {actions.includes("free") && reviewer && (
        <button
          type="button"
          class="button"
          aria-disabled={isBusy}
          onClick={() => change("free", { reviewer: reviewer.person })}
        >
          {sayWord("action", "free")}
        </button>
      )}
      {DECISIONS.filter((name) => actions.includes(name)).map((name) => (
        <button
          key={name}
          type="button"
          class={name === "release" ? "button primary" : "button"}
          onClick={() => props.onChoose(name)}
        >
          {sayWord("action", name)}
        </button>
      ))}
    </>
  );
}

function Story(props: {
  readonly may: ScreenProps["may"];
  readonly story: OrderStory;
  readonly onChange: (story: OrderStory) => void;
}) {
  const { story } = props;
  return (
    <>
      <Notices story={story} may={props.may} />
      <Head story={story} />
      <Notes story={story} onChange={props.onChange} />
      <section>
        <h2>{say("order.timeline")}</h2>
        <ol class="card timeline">
          {story.timeline.map((one) => (
            <li key={`${one.at} ${one.status} ${one.note}`}>
              <span class="muted">{sayTime(one.at)}</span>
              <Status word={one.status} reason={one.statusReason} />
              <span>
                {one.note} <span class="muted">({sayWord("action", one.actor)})</span>
                {one.screeningHits.length > 0 && <strong> {one.screeningHits.join(", ")}</strong>}
              </span>
            </li>
          ))}
        </ol>
      </section>
      <MoneyFlow story={story} />
      <Payments story={story} />
      <Payouts story={story} />
      <Webhooks story={story} />
      <Books story={story} />
      <Decisions story={story} />
    </>
  );
}

const HOLDS = ["screening_hit", "limit_exceeded", "no_liquidity", "provider_error"] as const;

/** The address as the person sees it. If the customer has asked for another one since, the approval is refused. */
const requestedOf = ({ requestedRefundAddress, requestedRefundMemo }: OrderStory) => ({
  refundAddress: requestedRefundAddress,
  ...(requestedRefundMemo !== null && { refundMemo: requestedRefundMemo }),
});

/** Asks why, runs the action and shows the story that it led to. */
function Decide(props: {
  readonly action: Decision;
  readonly story: OrderStory;
  readonly onEnd: (story: OrderStory | undefined) => void;
}) {
  const { action, onEnd } = props;
  // The order as the person saw it who decides. Its screen goes on to follow changes.
  const [story] = useState(props.story);
  const { isBusy, error, run } = useAction();
  const [hold, setHold] = useState<string>(HOLDS[0]);
  const decide = (event: SubmitEvent) => {
    const text = readForm(event);
    run(async () => {
      const amount = await exactOf(text("amount"));
      const body = {
        reason: text("reason"),
        ...(action === "hold" && { hold }),
        ...((action === "release" || action === "refund") && { statusReason: story.statusReason }),
        ...(amount !== "" && { amount }),
        ...(action === "approve_refund_address" && requestedOf(story)),
      };
      const path = `/orders/${story.orderId}/${action}`;
      onEnd(await call<OrderStory>(path, { method: "POST", body }));
    });
  };
  return (
    <FormDialog
      title={`${sayWord("action", action)}: ${story.orderId}`}
      text={say(`order.${action}_text`)}
      submit={sayWord("action", action)}
      isBusy={isBusy}
      error={error}
      onSubmit={decide}
      onClose={() => onEnd(undefined)}
    >
      <ActionFields action={action} story={story} hold={hold} onHold={setHold} />
      <ReasonField hint={say("order.reason_hint")} />
    </FormDialog>
  );
}

const statusOf = ({ status, statusReason }: OrderStory) => (
  <Status key="status" word={status} reason={statusReason} />
);

/** The place that a refund goes to: an address, or the way by which the money came. */
const refundTo = ({ refundAddress, refundMemo, paymentMethod }: OrderStory) =>
  refundAddress === null
    ? ([say("order.paid_by"), paymentMethod] as const)
    : ([
        say("order.refunds_to"),
        <Address key="to" address={refundAddress} memo={refundMemo} />,
      ] as const);

/** The amounts that a decision is about, and the members that only some actions have. */
function ActionFields(props: {
  readonly action: Decision;
  readonly story: OrderStory;
  readonly hold: string;
  readonly onHold: (hold: string) => void;
}) {
  const { action, story } = props;
  return (
    <>
      {(action === "release" || action === "refund") && (
        <Facts
          facts={[
            [say("orders.status"), statusOf(story)],
            [say("orders.spends"), sayAmount(story.spend)],
            [say("order.received"), story.received && sayAmount(story.received)],
            ...(action === "refund" ? [refundTo(story)] : []),
          ]}
        />
      )}
      {action === "refund" && (
        <AmountField
          label={say("order.refund_amount", { currency: story.spend.currency.toUpperCase() })}
          hint={say("order.refund_hint")}
          name="amount"
        />
      )}
      {action === "approve_refund_address" && (
        <Facts
          facts={[
            [
              say("order.asked_refunds_to"),
              <Address
                key="asked"
                address={story.requestedRefundAddress}
                memo={story.requestedRefundMemo}
              />,
            ],
            [
              say("order.refunds_to"),
              <Address key="now" address={story.refundAddress} memo={story.refundMemo} />,
            ],
            [say("order.approved_by"), sayList(story.requestedRefundApprovedBy)],
          ]}
        />
      )}
      {action === "hold" && (
        <Select
          label={say("order.hold_category")}
          name="hold"
          value={props.hold}
          options={HOLDS.map((word) => [word, sayWord("reason", word)] as const)}
          onChoose={props.onHold}
        />
      )}
    </>
  );
}
