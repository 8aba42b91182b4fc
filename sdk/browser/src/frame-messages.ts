import { FRAME_PROTOCOL, type FrameHello, type FrameMessage } from "@exchange/contract/frame";
import { isMatch } from "./options.ts";

/** The only version of the protocol that this script speaks. */
export const PROTOCOL_VERSION = 1;

/** A received value before validation. A value that is not an object has no fields. */
type Fields = Partial<Record<string, unknown>>;

/** `open` and `close` are the script's own events: only it knows when the checkout does. */
const EVENT_NAME = /^(?!open$|close$)[a-z_]{1,40}$/i;

/** Returns the hello for this instance, or undefined for any other message to the window. */
export function readHello(raw: unknown, instance: string): FrameHello | undefined {
  const { protocol, type, instance: named, load, versions } = Object(raw) as Fields;
  const isHello =
    protocol === FRAME_PROTOCOL &&
    type === "hello" &&
    named === instance &&
    isMatch(load, /^[^]{1,128}$/) &&
    Array.isArray(versions) &&
    versions.includes(PROTOCOL_VERSION);
  return isHello ? (raw as FrameHello) : undefined;
}

/** Returns a message of the protocol, or undefined: this script ignores unknown messages. */
export function readFrameMessage(raw: unknown): FrameMessage | undefined {
  const { type, title, height, count, name, snapshot, reason } = Object(raw) as Fields;
  // A newer checkout may send events and reasons that this script does not know.
  const isKnown =
    (type === "ready" && isMatch(title, /^/)) ||
    (type === "resize" && Number.isFinite(height)) ||
    (type === "steps" && Number.isFinite(count)) ||
    (type === "event" && isMatch(name, EVENT_NAME) && snapshot) ||
    (type === "close" && isMatch(reason, EVENT_NAME));
  return isKnown ? (raw as FrameMessage) : undefined;
}
