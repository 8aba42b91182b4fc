import { asksFirst, stepsBehind } from "../machine/back.ts";
import type { CheckoutState } from "../machine/state.ts";
import type { Store } from "../machine/store.ts";
import { draftTextOf } from "./draft.ts";
import type { DraftStorage } from "./draft-storage.ts";
import type { Exit } from "./leave.ts";

/**
 * The longest wait for `popstate` after `history.go`. A step back within the bank's frame fires none here, so the wait must
 * end. It is long, so that a slow device is not sent back twice.
 */
const TRAVEL_WITHIN_MS = 1_000;

interface Place {
  readonly view: Window;
  readonly store: Store;
  readonly exit: Exit;
  /** Tells the page around a frame how many steps Back can go. The page has the history of both. */
  readonly report: ((steps: number) => void) | undefined;
  readonly draft: Pick<DraftStorage, "write">;
}

/** Makes Back go one step back, and stores the choices, so that a reload shows the same step. */
export function keepPlace(place: Place): void {
  const { store, report } = place;
  const follow = report ?? followHistory(place);
  const storeDraft = createDraftStore(place);
  const update = (): void => {
    // A checkout on its way out stores nothing more.
    if (place.exit.isClosed) return;
    const state = store.read();
    storeDraft(state);
    if (state.stage.kind !== "booting") follow(stepsBehind(state.stage));
  };
  store.subscribe(update);
  update();
}

/** The choices are stored while there is no order. */
function createDraftStore({ draft }: Place): (state: CheckoutState) => void {
  let stored: string | undefined = "";
  return ({ stage }) => {
    if (stage.kind === "booting") return;
    const text = stage.kind === "choosing" ? draftTextOf(stage) : undefined;
    if (text === stored) return;
    stored = text;
    draft.write(text);
  };
}

/** A page of our own has one history entry for each step. `step` in its state is the number of steps behind it. */
function followHistory({ view, store, exit }: Place): (steps: number) => void {
  const { history } = view;
  let wanted = 0;
  let isTravelling = false;
  let timer = 0;
  const position = (): number => Number(history.state?.step ?? 0);
  const travel = (): void => {
    let at = position();
    if (isTravelling) return;
    for (; at < wanted; at += 1) history.pushState({ ...history.state, step: at + 1 }, "");
    isTravelling = at > wanted;
    if (!isTravelling) return;
    history.go(wanted - at);
    timer = view.setTimeout(() => {
      isTravelling = false;
    }, TRAVEL_WITHIN_MS);
  };
  view.addEventListener("popstate", () => {
    // The way out goes through the history too.
    if (exit.isClosed) return;
    const isOurs = isTravelling;
    isTravelling = false;
    view.clearTimeout(timer);
    if (!isOurs && position() < wanted) exit.back();
    // The checkout may have stayed where it was, and the customer may have gone forward.
    travel();
  });
  return (steps) => {
    // Back must go through the exit where leaving asks first or removes a draft.
    wanted = steps === 0 && exit.hasHost && mayLose(store.read()) ? 1 : steps;
    travel();
  };
}

const mayLose = (state: CheckoutState): boolean =>
  (state.stage.kind === "choosing" && state.stage.edited) || asksFirst(state) !== undefined;
