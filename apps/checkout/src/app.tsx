import { useEffect, useState } from "preact/hooks";
import { en } from "./copy/en.ts";
import { operationCopy } from "./copy/operations.ts";
import { shopOf } from "./machine/reduce.ts";
import { STEPS } from "./machine/reduce-choosing.ts";
import type { CheckoutState, Choosing, Ordered, Stage } from "./machine/state.ts";
import type { Store } from "./machine/store.ts";
import { AmountScreen } from "./screens/amount.tsx";
import { AuthenticationScreen } from "./screens/authentication.tsx";
import { CardScreen } from "./screens/card.tsx";
import { CurrencyScreen } from "./screens/currency.tsx";
import { DealStrip } from "./screens/deal-strip.tsx";
import { BootScreen, StoppedScreen, UsedScreen } from "./screens/ended.tsx";
import { MethodScreen } from "./screens/method.tsx";
import { ReviewScreen } from "./screens/review.tsx";
import { StatusScreen } from "./screens/status.tsx";
import { WalletScreen } from "./screens/wallet.tsx";
import { type Actions, ActionsProvider, useActions } from "./ui/context.ts";
import { Frame, LeaveDialog } from "./ui/frame.tsx";
import { amountsOf } from "./ui/words.ts";

interface AppProps {
  readonly store: Store;
  readonly actions: Omit<Actions, "announce">;
}

/** The checkout: the current screen in its frame, one live region, and the question on leaving. */
export function App({ store, actions }: AppProps) {
  const [state, setState] = useState<CheckoutState>(store.read);
  const [spoken, announce] = useState("");
  useEffect(() => {
    setState(store.read());
    return store.subscribe(({ next }) => setState(next));
  }, [store]);
  const { stage, exit } = state;
  return (
    <ActionsProvider value={{ ...actions, announce }}>
      <Frame session={sessionOf(stage)} shop={shopOf(stage)}>
        <StageView stage={stage} />
      </Frame>
      <p class="visually-hidden" role="status" data-announcer>
        {spoken}
      </p>
      {exit !== "none" && <LeaveDialog key={exit} state={exit} />}
    </ActionsProvider>
  );
}

function StageView({ stage }: { readonly stage: Stage }) {
  switch (stage.kind) {
    case "booting":
      return <BootScreen stage={stage} />;
    case "stopped":
      return <StoppedScreen stage={stage} />;
    case "used":
      return <UsedScreen stage={stage} />;
    case "choosing":
      return <ChoosingView stage={stage} />;
    case "ordered":
      return <OrderedView stage={stage} />;
  }
}

function ChoosingView({ stage }: { readonly stage: Choosing }) {
  const { dispatch } = useActions();
  switch (stage.screen) {
    case "amount":
      return <AmountScreen stage={stage} />;
    case "currency":
      return <CurrencyScreen stage={stage} />;
    case "method":
      return <MethodScreen stage={stage} />;
    case "wallet":
      return <WalletScreen stage={stage} />;
    case "card":
      return (
        <CardScreen
          session={stage.world.session}
          locale={stage.world.locale}
          card={stage.card}
          fault={undefined}
          step={{ number: 4, total: STEPS.length }}
          above={<DealStrip stage={stage} />}
          button={en.continue}
          onBack={() => dispatch({ type: "wentBack" })}
          onType={(fields) => dispatch({ type: "cardTyped", fields })}
          onSubmit={() => dispatch({ type: "advanced" })}
        />
      );
    case "review":
      return <ReviewScreen stage={stage} />;
  }
}

function OrderedView({ stage }: { readonly stage: Ordered }) {
  const { dispatch } = useActions();
  switch (stage.screen) {
    case "authentication":
      return <AuthenticationScreen stage={stage} />;
    case "status":
      return <StatusScreen stage={stage} />;
    case "card": {
      const { order, locale } = stage;
      const { spend } = amountsOf(order.quote, order.operationType, locale);
      const attempted = order.payment.attempt !== null;
      return (
        <CardScreen
          session={stage.session}
          locale={locale}
          card={stage.card}
          fault={stage.fault}
          above={
            attempted && <p class="lead">{en.card.attemptsLeft(order.payment.attemptsLeft)}</p>
          }
          button={operationCopy(order.operationType).payButton(spend)}
          onBack={
            attempted
              ? () => dispatch({ type: "orderedScreenOpened", screen: "status" })
              : undefined
          }
          onType={(fields) => dispatch({ type: "cardRetyped", fields })}
          onSubmit={() => dispatch({ type: "payPressed" })}
        />
      );
    }
  }
}

function sessionOf(stage: Stage) {
  switch (stage.kind) {
    case "choosing":
      return stage.world.session;
    case "used":
    case "ordered":
      return stage.session;
    default:
      return undefined;
  }
}
