import type {
  CheckoutEventName,
  CheckoutSnapshot,
  CloseReason,
  FrameMessage,
  HostMessage,
} from "@exchange/contract/frame";
import { readHostMessage } from "./guards.ts";

/** What the checkout may say to the page that opened it. */
export interface HostChannel {
  listen(onMessage: (message: HostMessage) => void): void;
  ready(title: string, locale: string, dir: "ltr" | "rtl"): void;
  resize(height: number): void;
  /** `code` says why, with an error. */
  event(name: CheckoutEventName, snapshot: CheckoutSnapshot, code?: string): void;
  close(reason: CloseReason): void;
}

/** The channel over the port that came with the welcome. Events are numbered from 1. */
export function openChannel(port: MessagePort): HostChannel {
  let sequence = 0;
  const send = (message: FrameMessage): void => port.postMessage(message);
  return {
    listen(onMessage) {
      port.onmessage = (event: MessageEvent<unknown>) => {
        const message = readHostMessage(event.data);
        if (message) onMessage(message);
      };
    },
    ready: (title, locale, dir) => send({ type: "ready", title, locale, dir }),
    resize: (height) => send({ type: "resize", height }),
    event(name, snapshot, code) {
      sequence += 1;
      send({ type: "event", name, snapshot, sequence, ...(code && { code }) });
    },
    close: (reason) => send({ type: "close", reason }),
  };
}
