import { t } from "../copy/later.ts";
import { lacksPrice } from "../machine/reduce-placement.ts";
import type { Choosing } from "../machine/state.ts";
import { paysOnReview, progressOf } from "../machine/steps.ts";
import { useDispatch } from "../ui/context.ts";
import { Screen } from "../ui/screen.tsx";
import { CardScreen } from "./card.tsx";
import { QuoteFault } from "./choice-form.tsx";
import { CurrencyScreen } from "./currency.tsx";
import { DealStrip } from "./deal-strip.tsx";
import { DeliveryScreen } from "./delivery.tsx";
import { MethodScreen } from "./method.tsx";
import { PayoutScreen } from "./payout.tsx";
import { ReviewScreen } from "./review.tsx";
import { useBack } from "./use-back.ts";
import { WalletScreen } from "./wallet.tsx";

/** The screens between the amount and the order. */
export function ChoosingScreen({ stage }: { readonly stage: Choosing }) {
  const dispatch = useDispatch("choosing");
  const onBack = useBack(stage);
  switch (stage.screen) {
    case "method":
      return <MethodScreen stage={stage} />;
    case "delivery":
      return <DeliveryScreen stage={stage} />;
    case "wallet":
      return <WalletScreen stage={stage} />;
    case "payout":
      return <PayoutScreen stage={stage} />;
    case "card":
      return (
        <CardScreen
          session={stage.world.session}
          locale={stage.world.locale}
          card={stage.card}
          fault={undefined}
          step={progressOf(stage)}
          above={<DealStrip stage={stage} />}
          button={t("continue")}
          onBack={onBack}
          onType={(fields) => dispatch({ type: "cardTyped", fields })}
          onSubmit={() => dispatch({ type: "advanced" })}
        />
      );
    case "review":
      return canShowReview(stage) ? (
        <ReviewScreen stage={stage} />
      ) : (
        <ReviewPending stage={stage} />
      );
    case "currency":
      return <CurrencyScreen stage={stage} />;
    case "amount":
      return null;
  }
}

/** A review that offers the methods needs no price. */
const canShowReview = (stage: Choosing): boolean =>
  stage.quote.quote !== undefined || (paysOnReview(stage) && lacksPrice(stage));

/** The review after a reload, until its price arrives. */
const ReviewPending = ({ stage }: { readonly stage: Choosing }) => (
  <Screen
    title={t("review.title")}
    shop={stage.world.session.merchant.name}
    onBack={useBack(stage)}
  >
    <QuoteFault stage={stage} />
    <p class="price-line hint" role="status">
      {stage.quote.status === "failed" ? "" : t("amount.loading")}
    </p>
  </Screen>
);
