import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { onSpeech, speakAlso } from "./copy/speech.ts";
import { fetchLater } from "./flow/later.ts";
import { shopOf } from "./machine/reduce.ts";
import type { AmountSide, CheckoutState, Choosing, Ordered, Stage } from "./machine/state.ts";
import type { Store } from "./machine/store.ts";
import { AmountScreen } from "./screens/amount.tsx";
import { BootScreen, StoppedScreen, UsedScreen } from "./screens/ended.tsx";
import { type Actions, ActionsProvider } from "./ui/context.ts";
import { Frame } from "./ui/frame.tsx";
import { lazyScreens, ScreenPending } from "./ui/lazy.tsx";

interface AppProps extends Pick<Actions, "exit" | "hosted" | "operator"> {
  readonly store: Store;
}

const ANNOUNCED_MS = 7_000;

/** The checkout: the current screen in its frame, one live region, and the leave dialog. */
export function App({ store, exit, hosted, operator }: AppProps) {
  const [state, setState] = useState<CheckoutState>(store.read);
  const [spoken, announce] = useState("");
  useEffect(() => {
    setState(store.read());
    return store.subscribe(({ next }) => setState(next));
  }, [store]);
  // An old announcement is removed, so that a screen reader does not find it at the end of the page.
  useEffect(() => {
    if (spoken === "") return;
    const timer = setTimeout(() => announce(""), ANNOUNCED_MS);
    return () => clearTimeout(timer);
  }, [spoken]);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  useEffect(() => onSpeech(() => redraw(0)), []);
  const { stage } = state;
  return (
    <ActionsProvider value={{ dispatch: store.dispatch, exit, hosted, operator, announce }}>
      <Frame session={sessionOf(stage)} shop={shopOf(stage)}>
        <StageView stage={stage} />
      </Frame>
      <p class="visually-hidden" role="status" data-announcer>
        {spoken}
      </p>
      {state.exit !== "none" && <Leave key={state.exit} state={state} />}
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
      return <Later stage={stage} />;
  }
}

/** The first screen is loaded. The others are fetched while the customer reads it. */
const later = lazyScreens(fetchLater, () => speakAlso(["steps", "orders"]));

function ChoosingView({ stage }: { readonly stage: Choosing }) {
  const { screen, picking } = stage;
  const before = useRef(screen);
  useEffect(later.preload, []);
  useLayoutEffect(() => {
    if (before.current === "currency") focusPicked(picking);
    before.current = screen;
  }, [screen]);
  return screen === "amount" ? <AmountScreen stage={stage} /> : <Later stage={stage} />;
}

/** After the list of currencies has closed, the button that opened it has the focus. */
const focusPicked = (side: AmountSide): void =>
  document.querySelector<HTMLElement>(`#amount-${side} + .pill`)?.focus();

function Later({ stage }: { readonly stage: Choosing | Ordered }) {
  const { screens, failed, retry } = later.use();
  if (!screens) return <ScreenPending failed={failed} retry={retry} shop={shopOf(stage)} />;
  return stage.kind === "choosing" ? (
    <screens.ChoosingScreen stage={stage} />
  ) : (
    <screens.OrderedScreen stage={stage} />
  );
}

/** The question belongs to screens after the first, which came with it. */
function Leave({ state }: { readonly state: CheckoutState }) {
  const { screens } = later.use();
  return screens ? <screens.LeaveDialog state={state} /> : null;
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
