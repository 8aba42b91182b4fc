import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Bytes ready to be sent, with their type and what a cache compares. */
export interface Representation {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string;
  /** Compressed when first asked for. */
  readonly encoded: (encoding: Encoding) => Buffer;
}

const COMPRESSIBLE = /javascript|json|text\/|svg|manifest/;
/** Small enough to gain nothing. */
const COMPRESSED_BYTES_MIN = 512;
const BROTLI_QUALITY = 9;

export function makeRepresentation(bytes: Buffer, contentType: string): Representation {
  const kept = new Map<string, Buffer>();
  return {
    bytes,
    contentType,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
    encoded(encoding) {
      const known = kept.get(encoding);
      if (known) return known;
      const made = encoding === "br" ? brotli(bytes) : gzipSync(bytes);
      kept.set(encoding, made);
      return made;
    },
  };
}

const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
  });

/** Sends it in the best encoding the client takes, or 304 when the client has it already. */
export function sendRepresentation(
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  representation: Representation,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const { request, reply } = exchange;
  const { bytes, contentType, etag } = representation;
  reply.headers({ ...headers, etag, vary: "accept-encoding" });
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  reply.header("content-type", contentType);
  const encoding = encodingFor(representation, request.headers["accept-encoding"]);
  if (encoding === undefined) return reply.send(bytes);
  return reply.header("content-encoding", encoding).send(representation.encoded(encoding));
}

/** A cache may have marked the tag as weak when it compressed. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

export type Encoding = "br" | "gzip";

/** How the representation is sent to a client that accepts these; undefined is as it is. */
export function encodingFor(
  { bytes, contentType }: Representation,
  accepted: string | undefined,
): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const isWorthIt = COMPRESSIBLE.test(contentType) && bytes.length >= COMPRESSED_BYTES_MIN;
  return isWorthIt ? chooseEncoding(accepted) : undefined;
}

function chooseEncoding(accepted: string): Encoding | undefined {
  const names = accepted
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(";")[0]?.trim());
  return (["br", "gzip"] as const).find((encoding) => names.includes(encoding));
}
