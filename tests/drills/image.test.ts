import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
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
/** Podman's own clean-up of a container still writes for a moment. */
const PATIENT = { recursive: true, force: true, maxRetries: 20 } as const;
const IMAGE = "localhost/exchange:1.2.3";
const MAKE = `
  import { makeTree } from "./tools/release/tree.mjs";
  import { makeImage } from "./tools/release/image.mjs";
  const { SCRATCH: scratch, OUT: out } = process.env;
  const tree = scratch + "/tree";
  process.umask(Number(process.env.UMASK));
  makeTree({ out: tree });
  const named = { name: "exchange-1.2.3", version: "1.2.3", root: ".", epoch: 1_800_000_000 };
  console.log(makeImage({ tree, scratch, out, ...named }));
`;

describe.runIf(canRun)("the image", () => {
  let folder: string;
  /** Podman refuses one whose path is longer than 50 characters. */
  let runFolder: string;
  let archive: string;
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

  /** Makes the archive of a release in a scratch folder of its own, and returns its path. */
  const release = async (umask: number): Promise<string> => {
    const scratch = await mkdtemp("/tmp/exchange-");
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", MAKE], {
      cwd: ROOT,
      env: { ...process.env, SCRATCH: scratch, OUT: folder, UMASK: String(umask) },
    });
    await rm(scratch, PATIENT);
    return stdout.trim();
  };
  /** Builds the image with PostgreSQL from a tree of this clone. */
  const buildTrial = async (): Promise<void> => {
    const tree = path.join(folder, "trial-tree");
    const rootFiles = path.join(folder, "trial-root-files");
    const flags = ["tools/release/tree.mjs", tree, "--embedded"];
    await execute(process.execPath, flags, { cwd: ROOT });
    const script = path.join(ROOT, "deploy/image/root-files.sh");
    await execute("sh", [script, rootFiles, tree]);
    await podman(
      ...["build", "--isolation=chroot", "--format=docker", "--layers=false", "--target=trial"],
      ...[`--build-context=trial-tree=${tree}`, `--build-context=trial-root-files=${rootFiles}`],
      ...["-t", "trial", "-f", path.join(ROOT, "deploy/Containerfile"), path.join(folder, "empty")],
    );
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "exchange-image-"));
    runFolder = await mkdtemp("/tmp/exchange-");
    await mkdir(path.join(folder, "empty"));
    archive = await release(0o022);
    await podman("load", "--input", archive);
    await buildTrial();
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
    for (const made of [folder, runFolder]) await rm(made, PATIENT);
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
    expect(await size(IMAGE)).toBeLessThan(150);
    expect(await size("trial")).toBeLessThan(215);
    const run = ["run", "--rm", "--network=host", ...CONFINED];
    expect(await podman(...run, IMAGE, "--version")).toMatch(/^\d+\.\d+\.\d+/);
    await expect(podman(...run, "--entrypoint=sh", IMAGE)).rejects.toThrow("sh");
    const declared = await podman("image", "inspect", IMAGE, "--format={{json .HealthCheck}}");
    expect(JSON.parse(declared)).toMatchObject({ Test: ["CMD", "exchange", "health"] });
  });

  test("of a release is the same bytes when it is made again under a strict umask", async () => {
    const before = await readFile(archive);
    await rm(archive);
    expect((await readFile(await release(0o077))).equals(before)).toBe(true);
  });
});
