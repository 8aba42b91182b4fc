import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("./http-server.mjs", import.meta.url));

/** Starts bare node:http, in a process of its own as the service is. Gives its address and a stop. */
export async function startBareHttp(answer) {
  const child = fork(SERVER);
  child.send(answer);
  const [{ port }] = await once(child, "message");
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill("SIGKILL") };
}
