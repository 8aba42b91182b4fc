import dgram from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

const TYPES = { 1: "A", 28: "AAAA" } as const;
type RecordType = (typeof TYPES)[keyof typeof TYPES];

/** Returns the current addresses of a name; `nth` counts the queries of this type from 1. */
export type Zone = (question: {
  readonly name: string;
  readonly type: RecordType;
  readonly nth: number;
}) => readonly string[] | "SERVFAIL" | "NXDOMAIN" | "silence";

export interface NameServer {
  /** `address:port`, as a resolver takes it. */
  readonly address: string;
  readonly questions: () => number;
  close(): Promise<void>;
}

/** A real DNS server on loopback, whose answers may change from one query to the next. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const countsByType = new Map<RecordType, number>();
  const socket = dgram.createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = readName(query);
    const type = TYPES[query.readUInt16BE(end) as keyof typeof TYPES];
    if (type === undefined) return;
    const nth = (countsByType.get(type) ?? 0) + 1;
    countsByType.set(type, nth);
    const answer = zone({ name, type, nth });
    if (answer === "silence") return;
    socket.send(makeAnswer(query.subarray(0, end + 4), type, answer), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    questions: () => [...countsByType.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

const HEADER_BYTES = 12;

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("ascii"));
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 1 };
}

const CODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

function makeAnswer(
  question: Buffer,
  type: RecordType,
  answer: readonly string[] | keyof typeof CODES,
): Buffer {
  const header = Buffer.from(question);
  const addresses = typeof answer === "string" ? [] : answer;
  header.writeUInt16BE(0x8180 | (typeof answer === "string" ? CODES[answer] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8, HEADER_BYTES);
  return Buffer.concat([header, ...addresses.map((address) => makeRecord(type, address))]);
}

/** A pointer to the query's name, then type, class IN, a TTL of zero, and the address. */
function makeRecord(type: RecordType, address: string): Buffer {
  const bytes = type === "A" ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const start = Buffer.from([0xc0, HEADER_BYTES, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0]);
  return Buffer.concat([start, Buffer.from([bytes.length]), bytes]);
}

/** Writes out all eight groups. */
const ipv6Bytes = (address: string): Buffer =>
  Buffer.from(
    address
      .split(":")
      .map((group) => group.padStart(4, "0"))
      .join(""),
    "hex",
  );
