import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** The programs of the tests: the variable with its path, its usual paths, and its packages on Debian. */
const PROGRAMS = [
  {
    name: "Chromium",
    variable: "CHROMIUM_PATH",
    paths: [
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome-stable",
      "/usr/bin/google-chrome",
      "/snap/bin/chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    needs: [],
    packages: ["chromium", "fonts-liberation", "fonts-noto-core"],
  },
  {
    name: "Firefox",
    variable: "FIREFOX_PATH",
    paths: [
      "/usr/bin/firefox-esr",
      "/usr/bin/firefox",
      "/Applications/Firefox.app/Contents/MacOS/firefox",
    ],
    needs: [],
    packages: ["firefox-esr"],
  },
  {
    name: "WebKitGTK",
    variable: "WEBKIT_DRIVER_PATH",
    paths: ["/usr/bin/WebKitWebDriver"],
    // WebKitGTK cannot run without a screen.
    needs: ["/usr/bin/Xvfb"],
    packages: ["webkit2gtk-driver", "xvfb"],
  },
  {
    name: "PgBouncer",
    variable: "PGBOUNCER_PATH",
    paths: ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"],
    needs: [],
    packages: ["pgbouncer"],
  },
];

/**
 * Returns every program of the tests with its path, or undefined for a path that was not found. Missing
 * programs are installed first when this runs as root on Debian.
 */
export function findPrograms() {
  const missing = PROGRAMS.filter((program) => find(program) === undefined);
  // A variable with a wrong path is the caller's mistake, so nothing is installed in its place.
  const wanted = missing.filter(({ variable }) => process.env[variable] === undefined);
  if (wanted.length > 0) installOnDebian(wanted.flatMap(({ packages }) => packages));
  return PROGRAMS.map((program) => ({ ...program, path: find(program) }));
}

function find({ variable, paths, needs }) {
  if (!needs.every((path) => existsSync(path))) return undefined;
  const named = process.env[variable];
  return (named === undefined ? paths : [named]).find((path) => existsSync(path));
}

function installOnDebian(packages) {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return;
  console.log(`test: installing ${packages.join(", ")} with apt-get`);
  if (aptGet("update")) aptGet("install", "-y", "--no-install-recommends", ...packages);
}

const aptGet = (...args) =>
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;
