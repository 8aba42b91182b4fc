import { FRAME_PROTOCOL, type FrameHello } from "@exchange/contract/frame";
import type { FrameAddress } from "./address.ts";
import { isWelcome } from "./guards.ts";

const HELLO_FIRST_MS = 50;
const HELLO_SLOWEST_MS = 500;
const HELLO_GIVE_UP_MS = 10_000;

/** Our window and the one that opened it. */
export interface Windows {
  readonly own: Window;
  readonly host: Window;
}

/**
 * Sends hello to the host until it welcomes this page load with a port. Returns undefined when no
 * host answers within ten seconds. Any page can post to this window, so a welcome counts only from
 * the window and the origin named in our address, with the ids of this load.
 */
export function connectToHost(
  windows: Windows,
  address: FrameAddress,
): Promise<MessagePort | undefined> {
  const { own, host } = windows;
  const load = randomId(own.crypto);
  const hello: FrameHello = {
    protocol: FRAME_PROTOCOL,
    type: "hello",
    instance: address.instance,
    load,
    versions: [1],
  };
  return new Promise((resolve) => {
    let waitMs = HELLO_FIRST_MS;
    let timer = 0;
    const finish = (port: MessagePort | undefined): void => {
      own.clearTimeout(timer);
      own.clearTimeout(deadline);
      own.removeEventListener("message", onMessage);
      resolve(port);
    };
    const onMessage = (event: MessageEvent<unknown>): void => {
      if (event.origin !== address.hostOrigin || event.source !== host) return;
      if (!isWelcome(event.data, { instance: address.instance, load })) return;
      const [port] = event.ports;
      if (port) finish(port);
    };
    const sayHello = (): void => {
      host.postMessage(hello, address.hostOrigin);
      timer = own.setTimeout(sayHello, waitMs);
      waitMs = Math.min(waitMs * 1.5, HELLO_SLOWEST_MS);
    };
    const deadline = own.setTimeout(() => finish(undefined), HELLO_GIVE_UP_MS);
    own.addEventListener("message", onMessage);
    sayHello();
  });
}

// `randomUUID` is missing on plain-http pages.
function randomId(crypto: Crypto): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
