import type { HostMessage } from "@exchange/contract/frame";
import { FRAME_PROTOCOL, type FrameMessage, type FrameWelcome } from "@exchange/contract/frame";
import { PROTOCOL_VERSION, readFrameMessage, readHello } from "./frame-messages.ts";

/**
 * The host's end of the frame protocol. Any page can post to this window, so a hello counts only
 * when the browser itself says that it came from our frame, at our origin, and it names our instance.
 * Each page load of the frame gets one port of its own; the port of an earlier load is closed.
 */
export interface FrameConnection {
  send(message: HostMessage): void;
  close(): void;
}

export interface FrameConnectionOptions {
  /** The frame's window now; it changes when the frame is loaded again. */
  readonly frameWindow: () => Pick<Window, "postMessage"> | null;
  readonly checkoutOrigin: string;
  readonly instance: string;
  readonly onConnect: () => void;
  readonly onMessage: (message: FrameMessage) => void;
}

export function connectFrame(options: FrameConnectionOptions): FrameConnection {
  const { frameWindow, checkoutOrigin, instance } = options;
  let port: MessagePort | undefined;
  let answeredLoad: string | undefined;

  const onWindowMessage = (event: MessageEvent<unknown>): void => {
    const frame = frameWindow();
    if (!event.isTrusted || event.origin !== checkoutOrigin) return;
    if (frame === null || event.source !== frame) return;
    const hello = readHello(event.data, instance);
    if (hello === undefined || hello.load === answeredLoad) return;
    answeredLoad = hello.load;
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readFrameMessage(data);
      if (message !== undefined) options.onMessage(message);
    };
    const welcome: FrameWelcome = {
      protocol: FRAME_PROTOCOL,
      type: "welcome",
      instance,
      load: hello.load,
      version: PROTOCOL_VERSION,
    };
    frame.postMessage(welcome, checkoutOrigin, [channel.port2]);
    options.onConnect();
  };

  addEventListener("message", onWindowMessage);
  return {
    send: (message) => port?.postMessage(message),
    close: () => {
      removeEventListener("message", onWindowMessage);
      port?.close();
      port = undefined;
    },
  };
}
