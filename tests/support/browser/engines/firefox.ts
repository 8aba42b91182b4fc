import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { run } from "../../service/processes.ts";
import type { Driver } from "./driver.ts";
import { speakMarionette } from "./marionette.ts";

/** Turns off the first-run page and every request that the tests do not make. */
const PREFERENCES = {
  "marionette.port": 0,
  "app.normandy.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "browser.startup.page": 0,
  "browser.newtabpage.enabled": false,
};

/** Starts Firefox without a window. As root it refuses another user's home, so it gets its own. */
export async function launchFirefox(executable: string): Promise<Driver> {
  const home = await mkdtemp(path.join(tmpdir(), "exchange-firefox-"));
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${value});\n`,
  );
  await writeFile(path.join(home, "user.js"), preferences.join(""));
  const command = [executable, "--headless", "--marionette", "--no-remote", "--profile", home];
  const browser = run(command, { cwd: home, env: { ...process.env, HOME: home } });
  const close = async (): Promise<void> => {
    browser.signalGroup("SIGKILL");
    await browser.exited;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const [, port] = await browser.waitFor(/Marionette\s+INFO\s+Listening on port (\d+)/);
    const send = speakMarionette(connect(Number(port), "127.0.0.1"));
    await send("WebDriver:NewSession", { capabilities: {} });
    return { send: (name, parameters) => send(`WebDriver:${name}`, parameters), close };
  } catch (error) {
    await close();
    throw error;
  }
}
