import { chmodSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A thread that answers questions only when the test says so, which has stopped its own event loop by then. It answers
 * over HTTP, and over a Unix socket with the bytes that it was given.
 */
const { socketPath, socketAnswer, counts } = workerData;
/** The numbers that both threads see: questions that arrived, whether to answer, and answers that were written. */
const ASKED = 0;
const MAY_ANSWER = 1;
const ANSWERED = 2;

const answers = [];
const add = (answer) => {
  answers.push(answer);
  Atomics.add(counts, ASKED, 1);
};
const answered = () => {
  Atomics.add(counts, ANSWERED, 1);
  Atomics.notify(counts, ANSWERED);
};

const web = createHttpServer((request, response) => {
  request.resume().on("end", () => add(() => response.end("the answer", answered)));
});
const unix = createServer((socket) => {
  socket.once("data", () => add(() => socket.write(socketAnswer, answered)));
});
unix.listen(socketPath, () => {
  chmodSync(socketPath, 0o600);
  web.listen(0, "127.0.0.1", () => parentPort.postMessage(web.address().port));
});

await Atomics.waitAsync(counts, MAY_ANSWER, 0).value;
for (const answer of answers) answer();
