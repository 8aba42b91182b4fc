import type { QuoteData } from "@exchange/contract";
import type { ComponentChildren } from "preact";
import { formatAmount } from "../amounts/format.ts";
import { groupByFour, passesIbanCheck } from "../amounts/iban.ts";
import { BRANDS, brandOf, digitsOf } from "../card/brand.ts";
import { named, t } from "../copy/later.ts";
import { locksOf } from "../machine/locks.ts";
import { payoutCardOf, payoutFields, tidyPayout } from "../machine/payout.ts";
import { lacksPrice } from "../machine/reduce-placement.ts";
import type { AddressUse, Choosing, ChoosingScreen } from "../machine/state.ts";
import {
  coinFor,
  kindOfMethod,
  paysOnReview,
  receivesCrypto,
  sendsCrypto,
} from "../machine/steps.ts";
import { useDispatch } from "../ui/context.ts";
import { Address, Digits } from "../ui/digits.tsx";
import { networkName } from "../ui/network-words.ts";
import { kindOn, receiptKind } from "../ui/words.ts";

interface EditLineProps {
  readonly stage: Choosing;
  readonly label: string;
  /** The screen on which the customer changes this line. Undefined where they cannot. */
  readonly screen: ChoosingScreen | undefined;
  readonly children: ComponentChildren;
}

/** A line of the order with a button that leads to its screen. While the order is placed, the button is invisible and keeps its place. */
function EditLine({ stage, label, screen, children }: EditLineProps) {
  const dispatch = useDispatch("choosing");
  return (
    <div class="row row-edit">
      <dt>{label}</dt>
      <dd>
        <span class="row-value">{children}</span>
        {screen && (
          <button
            type="button"
            class="quiet-button"
            disabled={stage.submission !== "none"}
            aria-label={t("review.edit.what", { label })}
            onClick={() => dispatch({ type: "editPressed", screen })}
          >
            {t("review.edit")}
          </button>
        )}
      </dd>
    </div>
  );
}

/** Both amounts. The received one has its value beside it, and is left out where the chosen method has no price. */
export function ReviewSums({ stage }: { readonly stage: Choosing }) {
  const { world, quote, spend } = stage;
  const { operation, locale } = world;
  const paid = quote.quote?.spend ?? {
    amount: quote.request?.baseAmount ?? 0,
    currencyCode: spend.code,
  };
  return (
    <dl class="lines headline">
      <EditLine stage={stage} label={t(`${operation}.spend`)} screen={amountScreenOf(stage)}>
        <bdi key={paid.amount} class="headline-amount roll">
          {formatAmount(paid, kindOn(operation, "spend"), locale)}
        </bdi>
      </EditLine>
      {quote.quote && !lacksPrice(stage) && <Received stage={stage} quote={quote.quote} />}
    </dl>
  );
}

const amountScreenOf = ({ world }: Choosing): ChoosingScreen | undefined =>
  locksOf(world.session).amount ? undefined : "amount";

interface ReceivedProps {
  readonly stage: Choosing;
  readonly quote: QuoteData;
}

function Received({ stage, quote }: ReceivedProps) {
  const { world, delivery } = stage;
  const { operation, locale } = world;
  const { receive, receipt } = quote;
  const worth = formatAmount(
    { amount: receipt.value, currencyCode: receipt.currencyCode },
    receiptKind(operation),
    locale,
  );
  const place = receivesCrypto(operation)
    ? `${networkName(stage.receive)} · ≈ ${worth}`
    : named(delivery?.name ?? "");
  return (
    <EditLine stage={stage} label={t(`${operation}.receive`)} screen={amountScreenOf(stage)}>
      <span key={receive.amount} class="headline-second roll">
        <Digits amount={receive} kind={kindOn(operation, "receive")} locale={locale} />
      </span>
      <span class="hint">{place}</span>
    </EditLine>
  );
}

/** The destination, the refund address and the payment method of the order. */
export function ReviewDetails({ stage }: { readonly stage: Choosing }) {
  const { operation, session } = stage.world;
  return (
    <dl class="lines">
      {receivesCrypto(operation) ? (
        <AddressLines
          stage={stage}
          use="wallet"
          label={t("review.to")}
          screen={locksOf(session).wallet ? undefined : "wallet"}
        />
      ) : (
        <Payout stage={stage} />
      )}
      {sendsCrypto(operation) && stage.refund.address !== "" && (
        <AddressLines
          stage={stage}
          use="refund"
          label={t("review.refundTo")}
          screen={receivesCrypto(operation) ? "wallet" : "payout"}
        />
      )}
      {!sendsCrypto(operation) && !paysOnReview(stage) && <PaidWith stage={stage} />}
    </dl>
  );
}

interface AddressLinesProps extends Omit<EditLineProps, "children"> {
  readonly use: AddressUse;
}

function AddressLines({ use, ...line }: AddressLinesProps) {
  const { stage } = line;
  const { address, memo, withoutMemo } = stage[use];
  const hasMemo = coinFor(stage, use).memo !== "none";
  const text = memo.trim() === "" ? (withoutMemo ? t("review.noMemo") : "") : memo.trim();
  return (
    <>
      <EditLine {...line}>
        <Address value={address} />
      </EditLine>
      {hasMemo && text !== "" && (
        <EditLine {...line} label={t("wallet.memo")} screen={undefined}>
          <bdi>{text}</bdi>
        </EditLine>
      )}
    </>
  );
}

/** The payout account in full: a mistake cannot be corrected later. */
function Payout({ stage }: { readonly stage: Choosing }) {
  const card = payoutCardOf(stage);
  return (
    <>
      {payoutFields(stage).map((field, index) => {
        const value = tidyPayout(field, stage.payout[field.name] ?? "");
        return (
          <EditLine
            key={field.name}
            stage={stage}
            label={named(field.label)}
            screen={index === 0 ? "payout" : undefined}
          >
            <bdi>{passesIbanCheck(value) ? groupByFour(value) : value}</bdi>
          </EditLine>
        );
      })}
      {card && (
        <EditLine stage={stage} label={t("review.to")} screen="payout">
          <bdi>{t("card.ending", card)}</bdi>
        </EditLine>
      )}
    </>
  );
}

function PaidWith({ stage }: { readonly stage: Choosing }) {
  const digits = digitsOf(stage.card.number);
  const brand = brandOf(digits);
  const byCard = kindOfMethod(stage.method) === "card";
  const card = t("card.ending", {
    brand: brand ? BRANDS[brand].name : named(stage.method.name),
    lastFour: digits.slice(-4),
  });
  const isLocked = locksOf(stage.world.session).method;
  const screen = byCard ? "card" : isLocked ? undefined : "method";
  return (
    <EditLine stage={stage} label={t("review.payWith")} screen={screen}>
      <bdi>{byCard ? card : named(stage.method.name)}</bdi>
    </EditLine>
  );
}
