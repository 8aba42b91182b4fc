import type { AdminPayout } from "@exchange/contract/admin";
import {
  asSentence,
  say,
  sayAge,
  sayAmount,
  sayEuro,
  sayNumber,
  sayTime,
  sayWord,
} from "../say.ts";
import { Table } from "../ui/table.tsx";
import { approvalsOf, Destination, nextOf, Order, Why } from "./payout-cells.tsx";
import { WAIT_CODES, type WaitCode } from "./waits.ts";

type State = AdminPayout["state"];

/** Payouts that wait for the same thing, or that wait for nothing and have the same state. */
interface Group {
  readonly key: WaitCode | State;
  readonly title: string;
  readonly text: string | undefined;
  readonly payouts: readonly AdminPayout[];
}

/** The payouts, those first that people can end. Within a group the oldest comes first, as in the answer. */
function groupsOf(payouts: readonly AdminPayout[]): readonly Group[] {
  const keys = new Set<Group["key"]>(payouts.map(keyOf));
  const waiting = WAIT_CODES.filter((code) => keys.delete(code)).map((code) => ({
    ...{ key: code, title: sayWord("wait", code), text: sayWord("wait_text", code) },
  }));
  const others = [...keys].map((key) => ({
    ...{ key, title: sayWord("payout", key as State), text: undefined },
  }));
  return [...waiting, ...others].map((group) => ({
    ...group,
    payouts: payouts.filter((payout) => keyOf(payout) === group.key),
  }));
}

const keyOf = ({ wait, state }: AdminPayout): Group["key"] => wait?.code ?? state;

/** The payouts in groups, each a table that an operator can scan. */
export function PayoutList(props: {
  readonly payouts: readonly AdminPayout[];
  readonly onChange: () => void;
}) {
  return (
    <>
      {groupsOf(props.payouts).map(({ key, title, text, payouts }) => (
        <section key={key}>
          <h2>
            {asSentence(title)} <span class="tag">{sayNumber(payouts.length)}</span>
          </h2>
          {text && <p class="muted">{text}</p>}
          <Payouts title={title} payouts={payouts} onChange={props.onChange} />
        </section>
      ))}
    </>
  );
}

function Payouts(props: {
  readonly title: string;
  readonly payouts: readonly AdminPayout[];
  readonly onChange: () => void;
}) {
  const { title, payouts, onChange } = props;
  const figures = [say("order.amount"), say("payouts.value")];
  return (
    <Table
      isDense
      caption={title}
      figures={figures}
      columns={[
        ...figures,
        say("orders.order"),
        say("moves.age"),
        say("order.to"),
        say("payouts.why"),
        say("payouts.approvals"),
        say("payouts.next"),
      ]}
      rows={payouts.map((payout) => ({
        key: payout.payoutId,
        cells: [
          <strong key="amount" class="amount">
            {sayAmount(payout.amount)}
          </strong>,
          sayEuro(payout.countsAsEuroCents),
          <Order key="order" payout={payout} />,
          <span key="age" title={sayTime(payout.createdAt)}>
            {sayAge(Math.max(0, Date.now() / 1_000 - payout.createdAt))}
          </span>,
          <Destination key="to" payout={payout} />,
          <Why key="why" payout={payout} />,
          approvalsOf(payout),
          nextOf(payout, onChange),
        ],
      }))}
    />
  );
}
