import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { freePort, type Running, run } from "../../service/processes.ts";
import { type Command, type Driver, DriverError } from "./driver.ts";

/** The path that each command is posted to. */
const ENDPOINTS: Readonly<Record<Command, string>> = {
  Navigate: "url",
  ExecuteScript: "execute/sync",
  SwitchToFrame: "frame",
  PerformActions: "actions",
};

/** WebKitGTK has no headless mode, so it gets a virtual screen, and a home folder of its own. */
export async function launchWebKit(executable: string): Promise<Driver> {
  const home = await mkdtemp(path.join(tmpdir(), "exchange-webkit-"));
  const running: Running[] = [];
  const start = (command: readonly string[], env: NodeJS.ProcessEnv = {}): Running => {
    const started = run(command, { cwd: home, env: { ...process.env, ...env, HOME: home } });
    running.push(started);
    return started;
  };
  const kill = async (): Promise<void> => {
    for (const each of running) each.signalGroup("SIGKILL");
    await Promise.all(running.map(({ exited }) => exited));
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const screen = start([
      "Xvfb",
      "-displayfd",
      "1",
      "-screen",
      "0",
      "1280x900x24",
      "-nolisten",
      "tcp",
    ]);
    const [, display] = await screen.waitFor(/^(\d+)$/m);
    const port = await freePort();
    start([executable, `--port=${port}`], { DISPLAY: `:${display}` });
    const session = await openSession(`http://127.0.0.1:${port}`);
    return {
      send: (command, parameters) => ask("POST", `${session}/${ENDPOINTS[command]}`, parameters),
      // Ending the session ends the browser, which is not in the driver's process group.
      close: () => ask("DELETE", session).then(kill, kill),
    };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** Opens a session and returns its address. */
async function openSession(driver: string): Promise<string> {
  await vi.waitUntil(
    () =>
      ask("GET", `${driver}/status`).then(
        () => true,
        () => undefined,
      ),
    { timeout: 60_000 },
  );
  const opened = await ask("POST", `${driver}/session`, { capabilities: {} });
  return `${driver}/session/${(opened as { sessionId: string }).sessionId}`;
}

async function ask(method: string, address: string, parameters?: object): Promise<unknown> {
  const body = method === "POST" ? { body: JSON.stringify(parameters) } : {};
  const response = await fetch(address, { method, ...body });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  throw new DriverError(address, value as { error: string; message: string });
}
