import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { createElement } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { ExchangeButton, type UseExchangeOptions, useExchange } from "./index.ts";

const OPTIONS: UseExchangeOptions = {
  baseUrl: "https://exchange.example",
  clientId: "client_dev_1",
  env: "dev",
  authenticationToken: () => {
    throw new Error("No token is fetched on a server.");
  },
};

test("on a server the button is plain markup, without a word of its options", () => {
  expect("window" in globalThis).toBe(false);
  const props = { ...OPTIONS, children: "Buy", id: "buy", onClose: () => {} };
  expect(renderToString(createElement(ExchangeButton, props))).toBe(
    '<button data-state="idle" id="buy" type="button" aria-haspopup="dialog">Buy</button>',
  );
});

test("on a server the hook is idle, and an open that is called has no effect", () => {
  const Page = () => {
    const { open, close, state, willOpen, result, error } = useExchange(OPTIONS);
    open();
    close();
    return JSON.stringify({ state, willOpen, result, error });
  };
  const markup = renderToString(createElement(Page)).replaceAll("&quot;", '"');
  expect(markup).toBe('{"state":"idle","willOpen":false}');
});

test("a server streams the same markup", async () => {
  const element = createElement(ExchangeButton, { ...OPTIONS, children: "Buy" });
  const markup = await new Promise<string>((resolve, reject) => {
    const { pipe } = renderToPipeableStream(element, { onError: reject });
    resolve(text(pipe(new PassThrough())));
  });
  expect(markup).toBe(renderToString(element));
});
