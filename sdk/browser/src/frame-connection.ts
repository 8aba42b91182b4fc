import type { HostMessage } from "@exchange/contract/frame";
import { FRAME_PROTOCOL, type FrameMessage, type FrameWelcome } from "@exchange/contract/frame";
import { PROTOCOL_VERSION, readFrameMessage, readHello } from "./frame-messages.ts";

/**
 * The host's end of the frame protocol. Any page can post to this window. A hello counts only if
 * the browser reports our frame and our origin as its source, and it names our instance. Each page
 * load of the frame gets a new port; the port of an earlier load is closed.
 */
export interface FrameConnection {
  send(message: HostMessage): void;
  close(): void;
}

export interface FrameHost {
  /** The checkout's current window. A frame that is loaded again has another window. */
  frameWindow(): Pick<Window, "postMessage"> | null | undefined;
  readonly checkoutOrigin: string;
  readonly instance: string;
  welcomeFrame(): void;
  takeMessage(message: FrameMessage): void;
}

export function connectFrame(host: FrameHost): FrameConnection {
  const { checkoutOrigin, instance } = host;
  let port: MessagePort | undefined;
  let answeredLoad: string | undefined;

  const onWindowMessage = (event: MessageEvent<unknown>): void => {
    const frame = host.frameWindow();
    const isOurs = event.isTrusted && event.origin === checkoutOrigin && event.source === frame;
    const hello = readHello(event.data, instance);
    if (!frame || !isOurs || !hello || hello.load === answeredLoad) return;
    answeredLoad = hello.load;
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readFrameMessage(data);
      if (message) host.takeMessage(message);
    };
    const welcome: FrameWelcome = {
      protocol: FRAME_PROTOCOL,
      type: "welcome",
      instance,
      load: hello.load,
      version: PROTOCOL_VERSION,
    };
    frame.postMessage(welcome, checkoutOrigin, [channel.port2]);
    host.welcomeFrame();
  };

  addEventListener("message", onWindowMessage);
  return {
    send: (message) => port?.postMessage(message),
    close: () => {
      removeEventListener("message", onWindowMessage);
      port?.close();
      // The page keeps a reference to its last checkout, which must not keep a port.
      port = undefined;
    },
  };
}
