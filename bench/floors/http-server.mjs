// An HTTP server in a process of its own, with nothing but node:http. It answers every request with
// the status, headers and body that the first message names, and counts the requests. With `parses`,
// it parses the JSON body and prints the answer for each request, as any endpoint must.
import { createServer } from "node:http";

process.once("message", ({ status = 200, headers = [], text = "", parses = false }) => {
  const bytes = Buffer.from(text);
  const answer = parses ? JSON.parse(text) : undefined;
  let count = 0;
  const server = createServer((request, response) => {
    const send = (body) => {
      count += 1;
      const length = status === 204 ? [] : ["content-length", body.length];
      response.writeHead(status, [...headers, ...length]).end(body);
    };
    if (request.method === "GET") return send(bytes);
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (!parses) return send(bytes);
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      return send(Buffer.from(JSON.stringify(answer)));
    });
    return undefined;
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
  process.on("message", () => process.send({ count }));
});
process.once("disconnect", () => process.exit());
