import { type ReactNode, StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import type { ExchangeButtonProps, ExchangeHandle, UseExchangeOptions } from "../index.ts";
import { useExchange } from "../use-exchange.ts";
import { type Offer, Shop } from "./shop.tsx";

/** The browser's side of the shop: the test calls `shop` and reads `reports`. */
interface TestWindow {
  shop?: object;
  reports?: unknown[];
  handle?: ExchangeHandle;
}

const page = window as unknown as TestWindow;
const reports: unknown[] = [];
const element = document.getElementById("root") as HTMLElement;
const COMMON = {
  baseUrl: element.dataset["service"] ?? "",
  clientId: new URLSearchParams(location.search).get("clientId") ?? "client_dev_1",
  env: "dev",
  authenticationToken: "a.public.token",
} as const satisfies Partial<ExchangeButtonProps>;

const Handle = (options: UseExchangeOptions) => {
  page.handle = useExchange(options);
  return <output>{page.handle.state}</output>;
};

const isHydrated = element.hasChildNodes();
const onRecoverableError = (error: unknown) => reports.push(["hydration", String(error)]);
const root: Root = isHydrated
  ? hydrateRoot(element, <Shop common={COMMON} offers={[{ children: "Buy" }]} />, {
      onRecoverableError,
    })
  : createRoot(element);

window.addEventListener("unhandledrejection", () => reports.push("a rejection nobody handled"));

/** Runs effects too, so that the test's next step sees their result. */
const render = (node: ReactNode): void => flushSync(() => root.render(node));

Object.assign(page, {
  reports,
  shop: {
    show: (...offers: Offer[]) => render(<Shop common={COMMON} offers={offers} />),
    useHook: (options: Partial<UseExchangeOptions>) =>
      render(
        <StrictMode>
          <Handle {...COMMON} {...options} />
        </StrictMode>,
      ),
    leave: () => render(null),
  },
});
