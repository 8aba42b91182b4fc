/** What is told of an answer while it is read. */
export interface ResponseListener {
  /** Once, and never of an interim answer. */
  onHead(status: number, retryAfter: string | undefined): void;
  onBody(part: Buffer): void;
}

/** The bytes are no answer of HTTP/1.1. */
export class NotHttp extends Error {}

/** An answer's head: its framing, and what becomes of the connection. */
interface Head {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Undefined: the body ends with the connection. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  /** For how long the connection may be used again; 0 for not at all. */
  readonly reusableMs: number;
}

const HEAD_BYTES_MAX = 16 * 1024;
const CHUNK_LINE_BYTES_MAX = 1_024;
/** Servers that do not say how long they wait for the next request mostly wait 5 s. */
const REUSABLE_MS = 4_000;
const REUSABLE_MS_MAX = 30_000;
/** Sooner than the server, so that no request meets it closing the connection. */
const SOONER_MS = 2_000;

const HEAD = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\0\r\n]*)?(?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\0\r\n]*)*$/;
const FIELD =
  /\r\n(content-length|transfer-encoding|connection|keep-alive|retry-after):[ \t]*([^\r\n]*)/gi;
const CHUNK_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;[^\0\r\n]*)?$/i;
const NOTHING = Buffer.alloc(0);

/** What ends a text, and how long it may be. */
const HEAD_END = { mark: "\r\n\r\n", bytesMax: HEAD_BYTES_MAX };
const LINE_END = { mark: "\r\n", bytesMax: CHUNK_LINE_BYTES_MAX };

/** Where in the answer the next byte stands. */
type Place =
  | "head"
  | "counted"
  | "chunk line"
  | "chunk"
  | "chunk end"
  | "trailer"
  | "open end"
  | "over";

/** Reads the answer to one request, in whatever parts it comes. */
export class ResponseReader {
  readonly #listener: ResponseListener;
  #place: Place = "head";
  #bytes: Buffer = NOTHING;
  /** Of a body that is counted, or of a chunk. */
  #left = 0;
  #trailerBytes = 0;
  #reusableMs = 0;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  /** Whether the answer is over. */
  get isOver(): boolean {
    return this.#place === "over";
  }

  /** For how long its connection may be used again; 0 for not at all. */
  get reusableMs(): number {
    return this.isOver && this.#bytes.length === 0 ? this.#reusableMs : 0;
  }

  /** Throws `NotHttp`. */
  read(part: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? part : Buffer.concat([this.#bytes, part]);
    while (!this.isOver && this.#bytes.length > 0 && this.#step());
  }

  /** The other side has ended the connection. */
  end(): void {
    if (this.#place === "open end") this.#place = "over";
  }

  /** False where more bytes are needed. */
  #step(): boolean {
    switch (this.#place) {
      case "head":
        return this.#stepText(HEAD_END);
      case "chunk line":
      case "chunk end":
      case "trailer":
        return this.#stepText(LINE_END);
      case "counted":
        return this.#stepData("over");
      case "chunk":
        return this.#stepData("chunk end");
      default:
        this.#left = this.#bytes.length;
        return this.#stepData("open end");
    }
  }

  #stepData(next: Place): boolean {
    const data = this.#bytes.subarray(0, this.#left);
    this.#bytes = this.#bytes.subarray(data.length);
    this.#left -= data.length;
    if (this.#left === 0) this.#place = next;
    this.#listener.onBody(data);
    return true;
  }

  #stepText({ mark, bytesMax }: typeof HEAD_END): boolean {
    const end = this.#bytes.indexOf(mark, 0, "latin1");
    if ((end === -1 ? this.#bytes.length : end) > bytesMax) throw new NotHttp("too long a line");
    if (end === -1) return false;
    const text = this.#bytes.toString("latin1", 0, end);
    this.#bytes = this.#bytes.subarray(end + mark.length);
    if (this.#place === "head") this.#takeHead(text);
    else if (this.#place === "chunk line") this.#takeChunkLine(text);
    else if (this.#place === "trailer") this.#takeTrailer(text);
    else if (text === "") this.#place = "chunk line";
    else throw new NotHttp("a chunk is longer than it says");
    return true;
  }

  #takeHead(text: string): void {
    const head = readHead(text);
    if (head.status === 101) throw new NotHttp("nobody asked for another protocol");
    // An interim answer: the head of the real one follows.
    if (head.status < 200) return;
    this.#reusableMs = head.reusableMs;
    this.#left = head.contentLength ?? 0;
    if (head.isChunked) this.#place = "chunk line";
    else if (head.contentLength === undefined) this.#place = "open end";
    else this.#place = this.#left === 0 ? "over" : "counted";
    this.#listener.onHead(head.status, head.retryAfter);
  }

  #takeChunkLine(text: string): void {
    const size = CHUNK_LINE.exec(text)?.[1];
    if (size === undefined) throw new NotHttp("a chunk says no size");
    this.#left = Number.parseInt(size, 16);
    this.#place = this.#left === 0 ? "trailer" : "chunk";
  }

  #takeTrailer(text: string): void {
    this.#trailerBytes += text.length;
    if (this.#trailerBytes > HEAD_BYTES_MAX) throw new NotHttp("too long a trailer");
    if (text === "") this.#place = "over";
  }
}

function readHead(raw: string): Head {
  // A value may go on in the next line, as it once was done.
  const text =
    raw.includes("\r\n ") || raw.includes("\r\n\t") ? raw.replace(/\r\n[ \t]+/g, " ") : raw;
  if (!HEAD.test(text)) throw new NotHttp("no head of HTTP/1.1");
  const status = Number(text.slice(9, 12));
  const found = readFields(text);
  const isWithoutBody = status === 204 || status === 304;
  const isChunked = !isWithoutBody && /(?:^|,)[ \t]*chunked[ \t]*$/i.test(found.coding);
  const isOpen = found.coding !== "" && !isChunked;
  const isKept = text[7] === "1" && !/(?:^|[,\s])close(?:$|[,\s])/i.test(found.connection);
  // A length beside a coding is how one answer is smuggled in another: nothing follows it here.
  const isClear = found.coding === "" || found.length === undefined;
  return {
    status,
    retryAfter: found.retryAfter,
    contentLength: isWithoutBody ? 0 : isOpen ? undefined : found.length,
    isChunked,
    reusableMs: isKept && isClear ? reusableMs(found.keepAlive) : 0,
  };
}

function readFields(text: string) {
  const found = {
    length: undefined as number | undefined,
    retryAfter: undefined as string | undefined,
    coding: "",
    connection: "",
    keepAlive: "",
  };
  FIELD.lastIndex = 0;
  for (let field = FIELD.exec(text); field !== null; field = FIELD.exec(text)) {
    const value = (field[2] ?? "").trimEnd();
    switch (field[1]?.toLowerCase()) {
      case "content-length":
        found.length = readLength(value, found.length);
        break;
      case "transfer-encoding":
        found.coding += found.coding === "" ? value : `,${value}`;
        break;
      case "connection":
        found.connection += `,${value}`;
        break;
      case "keep-alive":
        found.keepAlive = value;
        break;
      default:
        found.retryAfter ??= value;
    }
  }
  return found;
}

function readLength(value: string, before: number | undefined): number {
  const length = Number(value);
  if (!/^\d{1,15}$/.test(value) || (before !== undefined && before !== length)) {
    throw new NotHttp("the length of the body is not clear");
  }
  return length;
}

function reusableMs(keepAlive: string): number {
  const seconds = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return REUSABLE_MS;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - SOONER_MS, REUSABLE_MS_MAX));
}
