import type {
  CheckoutEventName,
  CheckoutSnapshot,
  CloseReason,
  FrameMessage,
  HostMessage,
} from "@exchange/contract/frame";
import { readHostMessage } from "./guards.ts";

const HEIGHT_MIN = 320;
const HEIGHT_MAX = 2000;

/** The messages between the checkout and the page that opened it. */
export interface HostChannel {
  listen(onMessage: (message: HostMessage) => void): void;
  ready(title: string, locale: string, dir: "ltr" | "rtl"): void;
  resize(height: number): void;
  /** The number of steps that Back can go in the checkout. */
  steps(count: number): void;
  /** `code` is the reason of an error. */
  event(name: CheckoutEventName, snapshot: CheckoutSnapshot, code?: string): void;
  close(reason: CloseReason): void;
}

/** Opens the channel over the port that came with the welcome. Events are numbered from 1. */
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
    steps: (count) => send({ type: "steps", count }),
    event(name, snapshot, code) {
      sequence += 1;
      send({ type: "event", name, snapshot, sequence, ...(code && { code }) });
    },
    close: (reason) => send({ type: "close", reason }),
  };
}

/**
 * Sends the height of the content to the host on each change. The element is measured, never the
 * document: a document does not shrink below its frame.
 */
export function reportHeight(element: HTMLElement, channel: HostChannel): void {
  let reported = 0;
  const report = (): void => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    // The host does not show the frame yet.
    if (!height) return;
    const clamped = Math.min(Math.max(height, HEIGHT_MIN), HEIGHT_MAX);
    if (clamped === reported) return;
    reported = clamped;
    channel.resize(clamped);
  };
  new ResizeObserver(report).observe(element);
  report();
}
