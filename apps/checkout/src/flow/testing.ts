import type { CheckoutApi } from "../api/calls.ts";
import type { Answer, Refusal } from "../api/client.ts";
import type { Choosing, Ordered } from "../machine/state.ts";
import { createStore } from "../machine/store.ts";
import { makeChoosing } from "../machine/testing.ts";

/** A checkout without a service: a store, what the test answers, and a page that can be hidden. */
export function makeWorld(api: Partial<CheckoutApi>, choosing: Choosing = makeChoosing()) {
  const store = createStore();
  const seen: (() => void)[] = [];
  const page = {
    visible: true,
    now: () => Date.now(),
    isVisible: () => page.visible,
    onVisible: (run: () => void) => void seen.push(run),
  };
  const deps = { store, api: api as CheckoutApi, page };
  const show = (): void => {
    page.visible = true;
    for (const run of seen) run();
  };
  const boot = (): void => store.dispatch({ type: "booted", choosing });
  const choosingNow = (): Choosing => store.read().stage as Choosing;
  const orderedNow = (): Ordered => store.read().stage as Ordered;
  return { store, deps, page, show, boot, choosingNow, orderedNow };
}

export const unreachable = { ok: false, problem: { kind: "unreachable" } } as const;

export const done = <T>(data: T): Answer<T> => ({ ok: true, data });

export const refused = (status: number, code: string, details: Refusal["details"] = []) =>
  ({
    ok: false,
    problem: { kind: "refused", status, code, message: "", details, quote: undefined },
  }) as const;
