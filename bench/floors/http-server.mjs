// The floor of the HTTP rows: bare node:http that answers every request with the same bytes. With
// `parses`, it reads and parses the JSON body and prints the answer anew, as any endpoint must.
import { createServer } from "node:http";

process.once("message", ({ text, contentType, parses }) => {
  const bytes = Buffer.from(text);
  const answer = parses ? JSON.parse(text) : undefined;
  const headers = (body) => ({ "content-type": contentType, "content-length": body.length });

  const server = createServer((request, response) => {
    if (!parses) {
      response.writeHead(200, headers(bytes));
      response.end(bytes);
      return;
    }
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const body = Buffer.from(JSON.stringify(answer));
      response.writeHead(200, headers(body));
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
});
process.once("disconnect", () => process.exit());
