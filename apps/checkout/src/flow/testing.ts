import type { CheckoutOptions } from "@exchange/contract/frame";
import type { CheckoutApi } from "../api/calls.ts";
import type { ApiResult, Refusal } from "../api/client.ts";
import type { PageEvent } from "../machine/events.ts";
import type { Choosing, Ordered } from "../machine/state.ts";
import { createStore } from "../machine/store.ts";
import { makeChoosing, makeQuote } from "../machine/testing.ts";
import { connectFlows } from "./run-effects.ts";
import { createLaterRunner } from "./run-later-effects.ts";

const never = (): Promise<never> => new Promise(() => {});

/** A checkout without a service: a store, the test's answers, and a page that can be hidden. */
export function makeWorld(
  api: Partial<CheckoutApi>,
  choosing: Choosing = makeChoosing(),
  options: CheckoutOptions = {},
) {
  const store = createStore();
  const listeners: { readonly change: PageEvent["type"]; readonly run: () => void }[] = [];
  const page = {
    visible: true,
    now: () => Date.now(),
    isVisible: () => page.visible,
    on: (change: PageEvent["type"], run: () => void) => void listeners.push({ change, run }),
  };
  const silent = { createQuote: never, followOrder: never, readOrder: never, payOrder: never };
  const deps = {
    store,
    api: { ...silent, ...api } as CheckoutApi,
    page,
    readDraft: async () => undefined,
  };
  connectFlows(deps, options, createLaterRunner(deps));
  const happen = (change: PageEvent["type"]): void => {
    if (change === "visible" || change === "hidden") page.visible = change === "visible";
    for (const { run } of listeners.filter((each) => each.change === change)) run();
  };
  const boot = (): void => store.dispatch({ area: "checkout", type: "booted", choosing });
  const choosingNow = (): Choosing => store.read().stage as Choosing;
  const orderedNow = (): Ordered => store.read().stage as Ordered;
  return { store, page, happen, boot, choosingNow, orderedNow };
}

/** Boots a checkout at a review that can be paid for 30 seconds. */
export function bootReview(api: Partial<CheckoutApi>) {
  const quote = {
    ...makeChoosing().quote,
    status: "ready",
    quote: makeQuote(1),
    validUntil: 30_000,
  } as const;
  const world = makeWorld(api, makeChoosing({ screen: "review", quote }));
  world.boot();
  return world;
}

export const unreachable = { ok: false, problem: { kind: "unreachable" } } as const;

export const done = <T>(data: T): ApiResult<T> => ({ ok: true, data });

export const refused = (status: number, code: string, details: Refusal["details"] = []) =>
  ({
    ok: false,
    problem: { kind: "refused", status, code, message: "", details, quote: undefined },
  }) as const;
