// What webhooks are posted to, in a process of its own: it reads each body and answers 204. Asked by
// a message, it tells how many came so far.
import { createServer } from "node:http";

let count = 0;
const server = createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => {
    count++;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => process.send({ count }));
process.once("disconnect", () => process.exit());
