import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Merchant } from "../support/orders/merchant.ts";
import { buy, buyChoice, orderWithStatus, type PlacedOrder } from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type Service } from "../support/service/service.ts";

const execute = promisify(execFile);
/** The path of Podman; undefined where it is not installed. */
const PODMAN = process.env["PODMAN_PATH"];
/** Without a daemon and without systemd, Podman makes containers for root alone. */
const canRun = PODMAN !== undefined && process.getuid?.() === 0;
if (!canRun) console.warn("THE TESTS OF THE IMAGE ARE SKIPPED: they need root and PODMAN_PATH");

/** A container as the documents start it: no capability, nothing to write but its volume and /tmp. */
const CONFINED = [
  ...["--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges"],
  // This machine may allow less than podman's own limits, and no health timer runs without systemd.
  ...["--ulimit=nofile=8192:8192", "--ulimit=nproc=4096:4096", "--no-healthcheck"],
];
const MEGABYTE = 1_000_000;

describe.runIf(canRun)("the image", () => {
  let folder: string;
  /** Podman refuses one whose path is longer than 50 characters. */
  let runFolder: string;
  let service: Service;
  let merchant: Merchant;
  let order: PlacedOrder;

  const podman = async (...args: string[]): Promise<string> => {
    const places = ["--storage-driver=vfs", `--root=${folder}/store`, `--runroot=${runFolder}`];
    const engine = ["--cgroup-manager=cgroupfs", "--runtime=runc", "--events-backend=file"];
    const { stdout } = await execute(PODMAN ?? "podman", [...places, ...engine, ...args], {
      cwd: folder,
    });
    return stdout.trim();
  };
  const inContainer = (...args: string[]): Promise<string> => podman("exec", "trial", ...args);
  const waitUntilReady = () =>
    vi.waitUntil(() => inContainer("exchange", "health").catch(() => undefined), {
      timeout: 60_000,
      interval: 500,
    });

  /** Builds a target of the Containerfile from a tree of this clone, as a release does. */
  const build = async (target: string, prefix: string, flags: readonly string[]): Promise<void> => {
    const tree = path.join(folder, `${prefix}tree`);
    const rootFiles = path.join(folder, `${prefix}root-files`);
    await execute(process.execPath, ["tools/release/tree.mjs", tree, ...flags], { cwd: ROOT });
    const script = path.join(ROOT, "deploy/image/root-files.sh");
    await execute("sh", [script, rootFiles, ...(flags.length > 0 ? [tree] : [])]);
    const contexts = [
      `--build-context=${prefix}tree=${tree}`,
      `--build-context=${prefix}root-files=${rootFiles}`,
    ];
    const file = path.join(ROOT, "deploy/Containerfile");
    const kind = [
      "--isolation=chroot",
      "--format=docker",
      "--layers=false",
      `--target=${target}`,
      "-t",
      target,
    ];
    await podman("build", ...kind, ...contexts, "-f", file, path.join(folder, "empty"));
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "exchange-image-"));
    runFolder = await mkdtemp("/tmp/exchange-");
    await mkdir(path.join(folder, "empty"));
    await build("exchange", "", []);
    await build("trial", "trial-", ["--embedded"]);
    const port = await freePort();
    const ports = [`-ePORT=${port}`, `-eEXCHANGE_HEALTH_PORT=${await freePort()}`];
    const data = ["-v", "data:/var/lib/exchange"];
    await podman(
      "run",
      "-d",
      "--name=trial",
      "--network=host",
      ...CONFINED,
      ...ports,
      ...data,
      "trial",
    );
    await waitUntilReady();
    service = { url: `http://127.0.0.1:${port}`, shopUrl: "", dataDir: "", env: {} };
    const made = await inContainer("exchange", "merchant", "create", "--name", "Shop", "--json");
    const { clientId, apiKey } = JSON.parse(made) as { clientId: string; apiKey: string };
    merchant = { clientId, apiKey, headers: { "x-api-key": apiKey, "x-client-id": clientId } };
  });
  afterAll(async () => {
    await podman("rm", "-f", "-v", "trial");
    // Podman's own clean-up of a container still writes for a moment.
    const patient = { recursive: true, force: true, maxRetries: 20 } as const;
    for (const made of [folder, runFolder]) await rm(made, patient);
  });

  test("runs as a user without rights on a root that it cannot write", async () => {
    const status = await inContainer("node", "-p", 'fs.readFileSync("/proc/1/status", "utf8")');
    const line = (name: string): string =>
      new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
    expect(line("Uid").split("\t")).toEqual(Array(4).fill("10001"));
    for (const set of ["CapEff", "CapPrm", "CapBnd"]) expect(line(set)).toBe("0000000000000000");
    expect(line("NoNewPrivs")).toBe("1");
    const write = 'fs.writeFileSync("/opt/exchange/x", "")';
    await expect(inContainer("node", "-e", write)).rejects.toThrow("EROFS");
  });

  test("completes an order, stops by itself, and has it after a restart", async () => {
    // A new key is accepted within a second.
    const choice = await vi.waitUntil(() => buyChoice(service, merchant).catch(() => undefined), {
      timeout: 60_000,
      interval: 200,
    });
    order = await buy(service, merchant, choice);
    await podman("stop", "--time=60", "trial");
    // It would be 137 if Podman had lost its patience.
    expect(await podman("inspect", "trial", "--format={{.State.ExitCode}}")).toBe("0");
    await podman("start", "trial");
    await waitUntilReady();
    await orderWithStatus(order.customer, order.orderId, "completed");
    expect(await inContainer("exchange", "ledger", "check")).toContain("right");
  });

  test("is small, has no shell without PostgreSQL, and says its version", async () => {
    const size = async (name: string) =>
      Number(await podman("image", "inspect", name, "--format={{.Size}}")) / MEGABYTE;
    expect(await size("exchange")).toBeLessThan(150);
    expect(await size("trial")).toBeLessThan(215);
    const run = ["run", "--rm", "--network=host", ...CONFINED];
    expect(await podman(...run, "exchange", "--version")).toMatch(/^\d+\.\d+\.\d+/);
    await expect(podman(...run, "--entrypoint=sh", "exchange")).rejects.toThrow("sh");
    const declared = await podman("image", "inspect", "exchange", "--format={{json .HealthCheck}}");
    expect(JSON.parse(declared)).toMatchObject({ Test: ["CMD", "exchange", "health"] });
  });
});
