import type { Deposit } from "@exchange/contract";
import { formatCount } from "@exchange/ui/messages";
import { useEffect, useRef } from "preact/hooks";
import { formatAmount } from "../amounts/format.ts";
import { t } from "../copy/later.ts";
import type { Ordered } from "../machine/state.ts";
import { useActions } from "../ui/context.ts";
import { CheckIcon, ClockIcon, CrossIcon } from "../ui/icons.tsx";
import { shorten } from "../ui/network-words.ts";
import { kindOn } from "../ui/words.ts";

/** The deposits seen so far, with their confirmations. */
export function Deposits({ stage }: { readonly stage: Ordered }) {
  const { deposits, instructions } = stage.order.payment;
  const required = instructions?.confirmationsRequired ?? 0;
  const newest = deposits.at(-1);
  useAnnouncedChange(newest ? stateOf(newest, required, stage.locale) : "");
  if (deposits.length === 0) return null;
  const kind = kindOn(stage.order.operationType, "spend");
  return (
    <section class="deposits" aria-labelledby="deposits-title">
      <h2 id="deposits-title">{t("deposits.title")}</h2>
      <ul>
        {deposits.map((deposit, index) => (
          <li key={deposit.transactionHash ?? index} class={`deposit deposit-${deposit.status}`}>
            <span class="deposit-mark" aria-hidden="true">
              {ICONS[deposit.status]}
            </span>
            <span class="option-words">
              <bdi class="option-name">{formatAmount(deposit, kind, stage.locale)}</bdi>
              <span class="hint">{stateOf(deposit, required, stage.locale)}</span>
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

/** Announces changes to screen readers, but not what was on the screen when it opened. */
function useAnnouncedChange(text: string): void {
  const { announce } = useActions();
  const said = useRef(text);
  useEffect(() => {
    if (text !== said.current) announce(text);
    said.current = text;
  }, [text]);
}

const ICONS = { seen: <ClockIcon />, final: <CheckIcon />, lost: <CrossIcon /> };

function stateOf(deposit: Deposit, required: number, locale: string): string {
  const { status, confirmations, transactionHash } = deposit;
  if (status === "lost") return t("deposits.lost");
  if (status === "final") return t("deposits.arrived");
  if (transactionHash === null || required === 0) return t("deposits.onItsWay");
  return t("deposits.confirmations", {
    number: formatCount(Math.min(confirmations, required), locale),
    required: formatCount(required, locale),
  });
}
