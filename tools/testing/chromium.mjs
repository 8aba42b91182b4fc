import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const KNOWN_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const DEBIAN_PACKAGES = ["chromium", "fonts-liberation", "fonts-noto-core"];

const aptGet = (...args) =>
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;

function installOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  console.log(`test: installing ${DEBIAN_PACKAGES.join(", ")} with apt-get`);
  return aptGet("update") && aptGet("install", "-y", "--no-install-recommends", ...DEBIAN_PACKAGES);
}

/** Path of a Chromium, installed when this is root on Debian; undefined when there is none. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return existsSync(named) ? named : undefined;
  const known = () => KNOWN_PATHS.find((path) => existsSync(path));
  return known() ?? (installOnDebian() ? known() : undefined);
}
