import type { IncomingMessage } from "node:http";
import { WIRE_LIMITS } from "@exchange/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../../flows/refusal.ts";
import { holderOf } from "./holder.ts";
import { makeShares } from "./shares.ts";

/** A body over its limit is read up to this size and not kept, so that its sender gets an answer and not a reset. */
const READ_BYTES_MAX = 16 * WIRE_LIMITS.requestBodyBytesMax;
/** The bytes of all bodies that arrive at one process. */
const ARRIVING_BYTES_MAX = 32 * 1024 * 1024;
/** Each body counts with the headers of its request, which Node bounds by this size. */
const HEADERS_BYTES = 16 * 1024;

/** A body of which a part is still to come. */
export interface ArrivingBody {
  /** Rejects with a refusal, or with the error of the connection. */
  readonly whole: Promise<Buffer>;
  /** Stops to wait for the body and drops its bytes. */
  refuse(refusal: Refusal): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Returns the body. Refuses PAYLOAD_TOO_LARGE over the limit, and SERVICE_UNAVAILABLE if it must give way. */
    receiveBody(bytesMax: number): Promise<Buffer>;
  }
}

/** The place of a request among those that the process works on. */
export interface WaitingRequests {
  /** Frees the place while the body arrives. */
  pause(request: FastifyRequest, body: ArrivingBody): void;
  /** Takes a place again. Refuses SERVICE_UNAVAILABLE if there is none. */
  resume(request: FastifyRequest): void;
}

export interface BodyOptions {
  readonly arrivingBytesMax?: number | undefined;
  readonly waiting?: WaitingRequests;
}

/**
 * Adds `receiveBody`, the one way to read a body, to each request. Bodies that arrive slowly share a bounded number of
 * bytes over all addresses (docs/decisions/0131-let-the-largest-holder-of-slow-bodies-give-way.md). A body that came
 * with its headers takes no part in that.
 */
export function receiveBodies(app: FastifyInstance, options: BodyOptions = {}): void {
  const { arrivingBytesMax = ARRIVING_BYTES_MAX, waiting } = options;
  const shares = makeShares<ArrivingBody>({
    totalMax: arrivingBytesMax,
    giveUp: (body) => body.refuse(new Refusal("SERVICE_UNAVAILABLE")),
  });
  const receive = async (request: FastifyRequest, bytesMax: number): Promise<Buffer> => {
    const { raw } = request;
    if (Number(raw.headers["content-length"]) > READ_BYTES_MAX) throw tooLarge();
    if (raw.destroyed && !raw.complete) throw new Refusal("INVALID_INPUT", { message: CUT_OFF });
    const room = roomOf(raw, bytesMax);
    let holder: string | undefined;
    const onEnd = (): void => {
      clearImmediate(turn);
      if (holder !== undefined) shares.remove(holder, body);
    };
    const body = collectBody(raw, { bytesMax, room, onEnd });
    // The bytes that came with the headers are read before the turn of the event loop ends.
    const turn = setImmediate(() => {
      holder = holderOf(request.ip);
      waiting?.pause(request, body);
      shares.add(holder, body, HEADERS_BYTES + room);
    });
    const bytes = await body.whole;
    if (holder !== undefined) waiting?.resume(request);
    return bytes;
  };
  app.decorateRequest("receiveBody", function (this: FastifyRequest, bytesMax: number) {
    return receive(this, bytesMax);
  });
}

/** Returns the most bytes that are kept of a body: none where its length is already over the limit. */
function roomOf({ headers }: IncomingMessage, bytesMax: number): number {
  const declared = headers["content-length"];
  if (declared === undefined) return bytesMax;
  return Number(declared) > bytesMax ? 0 : Number(declared);
}

interface CollectOptions {
  readonly bytesMax: number;
  readonly room: number;
  /** Called once, before the promise is settled. */
  readonly onEnd: () => void;
}

const tooLarge = (): Refusal => new Refusal("PAYLOAD_TOO_LARGE");
const CUT_OFF = "The connection ended before the request's body did.";
const NOTHING = Buffer.alloc(0);

/**
 * Copies the body into one buffer that grows. A list of the parts would hold some twenty times the bytes of a body
 * that comes byte by byte.
 */
function collectBody(raw: IncomingMessage, options: CollectOptions): ArrivingBody {
  const { bytesMax, room, onEnd } = options;
  let held: Buffer = NOTHING;
  let length = 0;
  let refuse: (error: Error) => void = () => {};
  const whole = new Promise<Buffer>((resolve, reject) => {
    const stop = (): void => {
      raw.off("data", keep).off("end", finish).off("error", refuse);
      held = NOTHING;
      onEnd();
    };
    const keep = (part: Buffer): void => {
      length += part.length;
      if (length > READ_BYTES_MAX) return refuse(tooLarge());
      if (length > room) {
        held = NOTHING;
        return;
      }
      if (length > held.length) held = grow(held, length, room);
      part.copy(held, length - part.length);
    };
    const finish = (): void => {
      if (length > Math.min(bytesMax, room)) return refuse(tooLarge());
      const bytes = held.subarray(0, length);
      stop();
      resolve(bytes);
    };
    refuse = (error) => {
      stop();
      // The rest flows away. Without a reader it would fill the buffer of the connection.
      raw.resume();
      reject(error);
    };
    raw.on("data", keep).on("end", finish).on("error", refuse);
  });
  return { whole, refuse };
}

function grow(held: Buffer, length: number, room: number): Buffer {
  const grown = Buffer.allocUnsafe(Math.min(Math.max(length, 2 * held.length), room));
  held.copy(grown);
  return grown;
}
