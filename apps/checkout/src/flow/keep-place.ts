import { stepsBehind } from "../machine/back.ts";
import type { CheckoutState } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";
import { DRAFT_KEY } from "./deps.ts";
import { draftTextOf } from "./draft.ts";
import { asksFirst, type Exit } from "./leave.ts";

interface Place {
  readonly view: Window;
  readonly store: Store;
  readonly exit: Exit;
  /** Tells the page around a frame how many steps Back can go. The page has the history of both. */
  readonly report: ((steps: number) => void) | undefined;
  readonly memory: Storage | undefined;
}

/** Has Back go one step back, and stores the choices, so that a reload shows the same step. */
export function keepPlace(place: Place): void {
  const { store, report } = place;
  const follow = report ?? followHistory(place);
  const storeDraft = createDraftStore(place);
  const update = (): void => {
    const state = store.read();
    storeDraft(state);
    if (state.stage.kind !== "booting") follow(stepsBehind(state.stage));
  };
  store.subscribe(update);
  update();
}

/** The choices are stored while there is no order. A window that blocks its storage loses them with a reload. */
function createDraftStore({ memory }: Place): (state: CheckoutState) => void {
  let stored: string | undefined = "";
  return ({ stage }) => {
    if (stage.kind === "booting") return;
    const text = stage.kind === "choosing" ? draftTextOf(stage) : undefined;
    if (text === stored) return;
    stored = text;
    try {
      if (text === undefined) memory?.removeItem(DRAFT_KEY);
      else memory?.setItem(DRAFT_KEY, text);
    } catch {
      // The storage is full.
    }
  };
}

/** A page of our own has one history entry for each step. `step` in its state is the number of steps behind it. */
function followHistory({ view, store, exit }: Place): (steps: number) => void {
  const { history } = view;
  let wanted = 0;
  let isTravelling = false;
  const position = (): number => Number(history.state?.step ?? 0);
  const travel = (): void => {
    let at = position();
    if (isTravelling) return;
    for (; at < wanted; at += 1) history.pushState({ ...history.state, step: at + 1 }, "");
    isTravelling = at > wanted;
    if (isTravelling) history.go(wanted - at);
  };
  view.addEventListener("popstate", () => {
    const isOurs = isTravelling;
    isTravelling = false;
    if (!isOurs && position() < wanted) exit.back();
    // The checkout may have stayed where it was, and the customer may have gone forward.
    travel();
  });
  return (steps) => {
    // Back must ask where leaving loses something.
    wanted = steps === 0 && exit.hasHost && asksFirst(store.read()) ? 1 : steps;
    travel();
  };
}
