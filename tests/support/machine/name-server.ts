import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server of this machine, which knows one name. */
export interface NameServer {
  /** How many questions it has answered. */
  questions(): number;
  stop(): Promise<void>;
}

/** The resolver of the C library asks this port only. */
const PORT = 53;
const HEADER_BYTES = 12;
const ANSWERED = 0x8580;
const TYPE_A = 1;
const TTL_SECONDS = 0;

/** Starts it on an address of 127.0.0.0/8, which needs root. Each name has the address 127.0.0.1 and no other. */
export async function startNameServer(host: string): Promise<NameServer> {
  const socket = createSocket("udp4");
  let count = 0;
  let isStopped = false;
  socket.on("message", (question, { address, port }) => {
    count += 1;
    socket.send(answerTo(question), port, address);
  });
  socket.bind(PORT, host);
  await once(socket, "listening");
  return {
    questions: () => count,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      socket.close();
      await once(socket, "close");
    },
  };
}

/** RFC 1035: the header, the question as it was asked, and one record that points to the name of the question. */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, HEADER_BYTES) + 5;
  const isIpv4 = question.readUInt16BE(end - 4) === TYPE_A;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(ANSWERED, 2);
  head.writeUInt16BE(isIpv4 ? 1 : 0, 6);
  head.fill(0, 8, HEADER_BYTES);
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, TTL_SECONDS, 0, 4]);
  return isIpv4 ? Buffer.concat([head, record, Buffer.from([127, 0, 0, 1])]) : head;
}
