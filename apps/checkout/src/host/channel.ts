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
  ready(title: string, locale: string): void;
  resize(height: number): void;
  event(name: CheckoutEventName, snapshot: CheckoutSnapshot): void;
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
    ready: (title, locale) => send({ type: "ready", title, locale }),
    resize: (height) => send({ type: "resize", height }),
    event(name, snapshot) {
      sequence += 1;
      send({ type: "event", name, snapshot, sequence });
    },
    close: (reason) => send({ type: "close", reason }),
  };
}
