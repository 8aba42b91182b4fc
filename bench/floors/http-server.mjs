// The floor of the HTTP rows: bare node:http that answers every request with the same bytes, headers
// and body. With `parses`, it reads and parses the JSON body and prints the answer anew, as any
// endpoint must.
import { createServer } from "node:http";

process.once("message", ({ text, headers, parses }) => {
  const bytes = Buffer.from(text);
  const answer = parses ? JSON.parse(text) : undefined;
  const send = (response, body) => {
    response.writeHead(200, [...headers, "content-length", body.length]);
    response.end(body);
  };

  const server = createServer((request, response) => {
    if (!parses) return send(response, bytes);
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      send(response, Buffer.from(JSON.stringify(answer)));
    });
    return undefined;
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
});
process.once("disconnect", () => process.exit());
