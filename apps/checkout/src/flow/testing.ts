import type { CheckoutApi } from "../api/calls.ts";
import type { Answer, Refusal } from "../api/client.ts";
import type { Choosing, Ordered } from "../machine/state.ts";
import { createStore } from "../machine/store.ts";
import { makeChoosing } from "../machine/testing.ts";
import type { PageChange } from "./deps.ts";

/** A checkout without a service: a store, what the test answers, and a page that can be hidden. */
export function makeWorld(api: Partial<CheckoutApi>, choosing: Choosing = makeChoosing()) {
  const store = createStore();
  const waiting: { readonly change: PageChange; readonly run: () => void }[] = [];
  const page = {
    visible: true,
    now: () => Date.now(),
    isVisible: () => page.visible,
    on: (change: PageChange, run: () => void) => void waiting.push({ change, run }),
  };
  const deps = { store, api: api as CheckoutApi, page };
  const happen = (change: PageChange): void => {
    if (change === "visible" || change === "hidden") page.visible = change === "visible";
    for (const { run } of waiting.filter((each) => each.change === change)) run();
  };
  const boot = (): void => store.dispatch({ type: "booted", choosing });
  const choosingNow = (): Choosing => store.read().stage as Choosing;
  const orderedNow = (): Ordered => store.read().stage as Ordered;
  return { store, deps, page, happen, boot, choosingNow, orderedNow };
}

export const unreachable = { ok: false, problem: { kind: "unreachable" } } as const;

export const done = <T>(data: T): Answer<T> => ({ ok: true, data });

export const refused = (status: number, code: string, details: Refusal["details"] = []) =>
  ({
    ok: false,
    problem: { kind: "refused", status, code, message: "", details, quote: undefined },
  }) as const;
