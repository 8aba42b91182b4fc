import type { Deposit } from "@exchange/contract";
import { useEffect, useRef } from "preact/hooks";
import { formatAmount } from "../amounts/format.ts";
import { orders } from "../copy/orders.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { CheckIcon, ClockIcon, CrossIcon } from "../ui/icons.tsx";
import { kindOn, shorten } from "../ui/words.ts";

const words = orders.deposits;

/** What was seen of the payment, with its confirmations as they come. */
export function Deposits({ stage }: { readonly stage: Ordered }) {
  const { deposits, instructions } = stage.order.payment;
  const required = instructions?.confirmationsRequired ?? 0;
  const newest = deposits.at(-1);
  useAnnouncedChange(newest ? stateOf(newest, required) : "");
  if (deposits.length === 0) return null;
  const kind = kindOn(stage.order.operationType, "spend");
  return (
    <section class="deposits" aria-labelledby="deposits-title">
      <h2 id="deposits-title">{words.title}</h2>
      <ul>
        {deposits.map((deposit, index) => (
          <li key={deposit.transactionHash ?? index} class={`deposit deposit-${deposit.status}`}>
            <span class="deposit-mark" aria-hidden="true">
              {ICONS[deposit.status]}
            </span>
            <span class="option-words">
              <bdi class="option-name">{formatAmount(deposit, kind, stage.locale)}</bdi>
              <span class="hint">{stateOf(deposit, instructions?.confirmationsRequired ?? 0)}</span>
              {deposit.transactionHash && (
                <span class="hint mono" dir="ltr" title={deposit.transactionHash}>
                  {shorten(deposit.transactionHash)}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Says what changed to people who listen, but not what was there when the screen opened. */
function useAnnouncedChange(text: string): void {
  const { announce } = useActions();
  const said = useRef(text);
  useEffect(() => {
    if (text !== said.current) announce(text);
    said.current = text;
  }, [text]);
}

const ICONS = { seen: <ClockIcon />, final: <CheckIcon />, lost: <CrossIcon /> };

function stateOf({ status, confirmations, transactionHash }: Deposit, required: number): string {
  if (status === "lost") return words.lost;
  if (status === "final") return words.arrived;
  const counts = transactionHash !== null && required > 0;
  return counts ? words.confirmations(Math.min(confirmations, required), required) : words.onItsWay;
}
