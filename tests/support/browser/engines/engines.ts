import type { Driver } from "./driver.ts";
import { launchFirefox } from "./firefox.ts";
import { EngineTab } from "./tab.ts";
import { launchWebKit } from "./webkit.ts";

interface Engine {
  readonly name: string;
  /** `npm test` sets it when it found or installed the engine. */
  readonly variable: string;
  readonly launch: (executable: string) => Promise<Driver>;
}

const ENGINES: readonly Engine[] = [
  { name: "Firefox", variable: "FIREFOX_PATH", launch: launchFirefox },
  { name: "WebKitGTK", variable: "WEBKIT_DRIVER_PATH", launch: launchWebKit },
];

/** The engines beside Chromium that this machine has, and those that it does not have. */
export const presentEngines = ENGINES.filter(({ variable }) => process.env[variable]);
export const absentEngines = ENGINES.filter(({ variable }) => !process.env[variable]);

export const openTab = async ({ variable, launch }: Engine): Promise<EngineTab> =>
  new EngineTab(await launch(process.env[variable] ?? ""));
