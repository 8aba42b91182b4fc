import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/exchange-tests/", import.meta.url));

/** The node of the chain tests and of local chains: a program of 43 MB. Other platforms name their own. */
const ANVIL = {
  platform: "linux x64",
  name: "@foundry-rs/anvil-linux-amd64",
  version: "1.7.1",
  integrity:
    "sha512-+XmShybEaxfCrr0OUUZwYEy2OnYZt5pHH9TzBtLv3+VrK0O/ANuNSVEahqNhKHlgX7GRJ59383ofNhxkRWIYTg==",
};

const LIBRARIES = {
  name: "client libraries",
  files: "/tests/acceptance/client-libraries",
  needs: "apt and root",
};

const COMPLETION = {
  name: "completion",
  files: "/apps/server/src/cli/service-commands",
  needs: "apt and root",
};

/**
 * The programs that tests need. Each has the variable with its path, its usual paths, and its packages on Debian or
 * its package on npm. A program with a `suite` is named again at the end of a run that did without it. Only drills need one
 * that is `isOfDrills`.
 */
const PROGRAMS = [
  {
    name: "Chromium",
    variable: "CHROMIUM_PATH",
    // The headless shell has the engine without the browser's own windows, and takes a third less processor time.
    paths: [
      "/usr/bin/chromium-headless-shell",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome-stable",
      "/usr/bin/google-chrome",
      "/snap/bin/chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    needs: [],
    packages: ["chromium-headless-shell", "fonts-liberation", "fonts-noto-core"],
  },
  {
    name: "Firefox",
    isOfDrills: true,
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
    isOfDrills: true,
    variable: "WEBKIT_DRIVER_PATH",
    paths: ["/usr/bin/WebKitWebDriver"],
    // WebKitGTK cannot run without a screen.
    needs: ["/usr/bin/Xvfb"],
    packages: ["webkit2gtk-driver", "xvfb"],
  },
  {
    name: "PgBouncer",
    isOfDrills: true,
    variable: "PGBOUNCER_PATH",
    paths: ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"],
    needs: [],
    packages: ["pgbouncer"],
  },
  {
    name: "promtool",
    variable: "PROMTOOL_PATH",
    paths: ["/usr/bin/promtool", "/usr/local/bin/promtool", "/opt/homebrew/bin/promtool"],
    needs: [],
    packages: ["prometheus"],
  },
  {
    name: "libfaketime",
    isOfDrills: true,
    variable: "FAKETIME_PATH",
    paths: ["x86_64", "aarch64"].map(
      (machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`,
    ),
    needs: [],
    packages: ["libfaketime"],
  },
  {
    name: "Podman",
    isOfDrills: true,
    variable: "PODMAN_PATH",
    paths: ["/usr/bin/podman"],
    // Podman's own choice, crun, does not start where control groups are of two versions.
    needs: ["/usr/sbin/runc"],
    packages: ["podman", "runc"],
    suite: { name: "image", files: "/tests/drills/image", needs: "apt and root" },
  },
  {
    name: "Python",
    variable: "PYTHON_PATH",
    paths: ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"],
    needs: [],
    packages: ["python3"],
    suite: LIBRARIES,
  },
  {
    name: "PHP",
    variable: "PHP_PATH",
    paths: ["/usr/bin/php", "/usr/local/bin/php", "/opt/homebrew/bin/php"],
    needs: [],
    packages: ["php-cli", "php-curl"],
    suite: LIBRARIES,
  },
  {
    name: "zsh",
    variable: "ZSH_PATH",
    paths: ["/usr/bin/zsh", "/bin/zsh", "/opt/homebrew/bin/zsh"],
    needs: [],
    packages: ["zsh"],
    suite: COMPLETION,
  },
  {
    name: "fish",
    variable: "FISH_PATH",
    paths: ["/usr/bin/fish", "/usr/local/bin/fish", "/opt/homebrew/bin/fish"],
    needs: [],
    packages: ["fish"],
    suite: COMPLETION,
  },
  {
    name: "litecoind",
    variable: "LITECOIND_PATH",
    paths: ["/usr/bin/litecoind"],
    needs: [],
    packages: ["litecoind"],
    suite: { name: "chains", files: "/tests/chains/coin-", needs: "apt and root" },
  },
  {
    name: "anvil",
    variable: "ANVIL_PATH",
    paths: [path.join(CACHE, "node_modules", ANVIL.name, "bin", "anvil")],
    needs: [],
    packages: [],
    npm: ANVIL,
  },
];

/** The programs of campaigns alone. A tool does not install a database server on somebody's machine. */
const CAMPAIGN_PROGRAMS = [
  {
    name: "PostgreSQL",
    variable: "POSTGRES_PATH",
    paths: [18, 17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin/postgres`),
    debian: "postgresql",
  },
  { name: "Patroni", variable: "PATRONI_PATH", paths: ["/usr/bin/patroni"], debian: "patroni" },
  { name: "etcd", variable: "ETCD_PATH", paths: ["/usr/bin/etcd"], debian: "etcd-server" },
  { name: "HAProxy", variable: "HAPROXY_PATH", paths: ["/usr/sbin/haproxy"], debian: "haproxy" },
  { name: "OpenSSL", variable: "OPENSSL_PATH", paths: ["/usr/bin/openssl"], debian: "openssl" },
  {
    name: "systemd",
    variable: "SYSTEMD_PATH",
    paths: ["/usr/lib/systemd/systemd", "/lib/systemd/systemd"],
    needs: ["/usr/bin/dpkg", "/usr/sbin/adduser"],
    debian: "systemd adduser",
  },
].map((program) => ({ needs: [], ...program, packages: [] }));

/** Returns the variables of the programs that tests need, or drills too. */
export const variablesOf = ({ withDrills }) =>
  PROGRAMS.filter(({ isOfDrills }) => withDrills || !isOfDrills).map(({ variable }) => variable);

/**
 * Returns the programs of these variables, by default all, each with its path. The path is undefined for a program
 * that was not found. Missing programs are installed first, where that is possible: those of Debian when this runs
 * as root, those of npm on their platform.
 */
export function findPrograms(
  variables = variablesOf({ withDrills: true }),
  log = (line) => console.log(`test: ${line}`),
) {
  const all = [...PROGRAMS, ...CAMPAIGN_PROGRAMS];
  const programs = all.filter(({ variable }) => variables.includes(variable));
  const missing = programs.filter((program) => find(program) === undefined);
  // A variable with a wrong path is the caller's mistake, so nothing is installed in its place.
  const wanted = missing.filter(({ variable }) => process.env[variable] === undefined);
  const packages = wanted.flatMap((program) => program.packages);
  if (packages.length > 0) installOnDebian(packages, log);
  for (const { npm } of wanted) if (npm) installFromNpm(npm, log);
  return programs.map((program) => ({ ...program, path: find(program) }));
}

/** Returns a sentence for each program of a campaign that was not found. */
export const missingPrograms = (programs) =>
  programs
    .filter(({ path: found }) => found === undefined)
    .map(
      ({ name, variable, debian }) =>
        `${name} WAS NOT FOUND, SO NOTHING WAS TESTED. Install it (Debian: apt-get install ${debian}), ` +
        `or name its path in ${variable}.`,
    );

function find({ variable, paths, needs }) {
  if (!needs.every((file) => existsSync(file))) return undefined;
  const named = process.env[variable];
  return (named === undefined ? paths : [named]).find((file) => existsSync(file));
}

function installOnDebian(packages, log) {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return;
  log(`installing ${packages.join(", ")} with apt-get`);
  if (aptGet("update")) aptGet("install", "-y", "--no-install-recommends", ...packages);
}

/** Installs a package beside the tree, without its scripts. One with another hash is removed again. */
function installFromNpm({ platform, name, version, integrity }, log) {
  if (platform !== `${process.platform} ${process.arch}`) return;
  log(`installing ${name} ${version} with npm`);
  mkdirSync(CACHE, { recursive: true });
  const options = ["--prefix", CACHE, "--no-save", "--no-package-lock", "--ignore-scripts"];
  const args = ["install", ...options, "--no-audit", "--no-fund", `${name}@${version}`];
  spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  const lock = path.join(CACHE, "node_modules", ".package-lock.json");
  if (!existsSync(lock)) return;
  const installed = JSON.parse(readFileSync(lock, "utf8")).packages[`node_modules/${name}`];
  if (installed?.integrity === integrity) return;
  log(`${name} ${version} does not have the expected hash, so it was removed`);
  rmSync(CACHE, { recursive: true, force: true });
}

const aptGet = (...args) =>
  spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;
