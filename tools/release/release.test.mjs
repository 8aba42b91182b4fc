import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeDebianPackage, makeTarball } from "./archives.mjs";
import { licencesText, listThirdParties } from "./licences.mjs";
import { findRefusals } from "./refusals.mjs";
import { signChecksums, writeChecksums, writeProvenance, writeSbom } from "./statements.mjs";
import { ROOT } from "./tree.mjs";
import { findOtherVersions, prepareVersion, readVersion } from "./version.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "exchange-release-"));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
const newFolder = () => {
  made += 1;
  const place = path.join(folder, String(made));
  mkdirSync(place);
  return place;
};
const read = (...parts) => readFileSync(path.join(...parts), "utf8");
const write = (text, ...parts) => writeFileSync(path.join(...parts), text);

test("every place that states a version states the same one", () => {
  expect(findOtherVersions(ROOT)).toEqual([]);
});

describe("a repository", () => {
  const MIGRATION = "apps/server/src/storage/migrations/0001_first.sql";
  let root;
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
  const commit = () => {
    git("add", "-A");
    git("commit", "--quiet", "-m", "a change");
  };
  const tag = (version) => git("-c", "tag.gpgSign=false", "tag", version);

  beforeEach(() => {
    root = newFolder();
    for (const place of [
      "apps/server",
      "tests",
      "packages",
      "sdk",
      "examples",
      path.dirname(MIGRATION),
    ]) {
      mkdirSync(path.join(root, place), { recursive: true });
    }
    const manifest = (dependencies) =>
      `${JSON.stringify({ name: "a", version: "0.1.0", dependencies }, null, 2)}\n`;
    write(manifest({}), root, "package.json");
    write(manifest({}), root, "tests/package.json");
    write(manifest({ "@exchange/money": "0.1.0" }), root, "apps/server/package.json");
    const packages = { "": { version: "0.1.0" }, "node_modules/big.js": { version: "7.0.1" } };
    write(
      `${JSON.stringify({ version: "0.1.0", packages }, null, 2)}\n`,
      root,
      "package-lock.json",
    );
    write(
      "# Changelog\n\n## Unreleased\n\n- It is safer.\n\n## 0.1.0 (2026-11-01)\n\n- It is there.\n",
      root,
      "CHANGELOG.md",
    );
    write("select 1;\n", root, MIGRATION);
    git("init", "--quiet");
    commit();
    tag("v0.1.0");
  });

  test("is released when it is prepared, committed and tagged, and not before", () => {
    expect(findRefusals(root)).toEqual([expect.stringContaining("under Unreleased")]);
    prepareVersion(root, { version: "0.2.0", date: "2026-12-01" });
    expect(read(root, "CHANGELOG.md")).toContain(
      "## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- It is safer.",
    );
    expect(readVersion(root)).toBe("0.2.0");
    expect(read(root, "apps/server/package.json")).toContain('"@exchange/money": "0.2.0"');
    expect(
      JSON.parse(read(root, "package-lock.json")).packages["node_modules/big.js"].version,
    ).toBe("7.0.1");
    expect(findRefusals(root)).toEqual([
      expect.stringContaining("not committed"),
      expect.stringContaining("not tagged v0.2.0"),
    ]);
    commit();
    tag("v0.2.0");
    expect(findRefusals(root)).toEqual([]);
    expect(() => prepareVersion(root, { version: "0.3.0", date: "2026-12-02" })).toThrow(
      "nothing under Unreleased",
    );
    expect(() => prepareVersion(root, { version: "next", date: "2026-12-02" })).toThrow(
      "not a version",
    );
  });

  test("names the artifacts of the release in their page, also those of a candidate", () => {
    const page = "docs/operating/install.md";
    mkdirSync(path.dirname(path.join(root, page)), { recursive: true });
    write(read(ROOT, page), root, page);
    const states = (version) => read(root, page).split(version).length - 1;
    const before = readVersion(ROOT);
    const places = states(before);
    expect(places).toBe(11);
    write(read(root, "CHANGELOG.md"), root, "changes");
    prepareVersion(root, { version: "9.8.7-rc.1", date: "2026-12-01" });
    expect(states("9.8.7-rc.1")).toBe(places);
    write(read(root, "changes"), root, "CHANGELOG.md");
    prepareVersion(root, { version: "9.9.9", date: "2026-12-02" });
    expect([states("9.9.9"), states("9.8.7")]).toEqual([places, 0]);
  });

  test("is not released if a released migration was edited", () => {
    prepareVersion(root, { version: "0.2.0", date: "2026-12-01" });
    write("select 2;\n", root, MIGRATION);
    commit();
    tag("v0.2.0");
    expect(findRefusals(root)).toEqual([
      `${MIGRATION} is not as v0.1.0 released it. Restore it, and add a new migration.`,
    ]);
  });

  test("is not released when a package states another version", () => {
    prepareVersion(root, { version: "0.2.0", date: "2026-12-01" });
    write(read(root, "tests/package.json").replace("0.2.0", "0.1.9"), root, "tests/package.json");
    commit();
    tag("v0.2.0");
    expect(findRefusals(root)).toEqual([
      expect.stringContaining("tests/package.json state another version"),
    ]);
  });
});

describe("artifacts of the same tree", () => {
  /** A tree as small as the artifacts need, with the present time. */
  const makeSmallTree = () => {
    const tree = newFolder();
    mkdirSync(path.join(tree, "bin"));
    mkdirSync(path.join(tree, "apps"));
    write('#!/usr/bin/env node\nconsole.log("complete");\n', tree, "apps/exchange.js");
    execFileSync("chmod", ["755", path.join(tree, "apps/exchange.js")]);
    symlinkSync("../apps/exchange.js", path.join(tree, "bin/exchange"));
    for (const file of ["LICENSE", "CHANGELOG.md"])
      cpSync(path.join(ROOT, file), path.join(tree, file));
    write("Licences\n", tree, "THIRD-PARTY-LICENSES");
    utimesSync(path.join(tree, "LICENSE"), made, made);
    return tree;
  };
  const makeTwice = (make) => [1, 2].map(() => readFileSync(make(makeSmallTree(), newFolder())));
  const epoch = 1_790_000_000;

  test("are the same tarball, byte for byte", () => {
    const [one, two] = makeTwice((tree, out) =>
      makeTarball({ tree, name: "exchange-1", out, epoch }),
    );
    expect(one.equals(two)).toBe(true);
  });

  test("are the same Debian package, which makes the user and the keys and keeps its settings", () => {
    let file = "";
    const [one, two] = makeTwice((tree, out) => {
      file = makeDebianPackage({ tree, root: ROOT, out, version: "1.2.3", epoch });
      return file;
    });
    expect(one.equals(two)).toBe(true);
    const dpkg = (...args) => execFileSync("dpkg-deb", [...args, file], { encoding: "utf8" });
    expect(dpkg("--field")).toContain("Version: 1.2.3-1\n");
    expect(dpkg("--contents")).toMatch(
      /root\/root .* \.\/lib\/systemd\/system\/exchange@\.service\n/,
    );
    expect(dpkg("--contents")).toMatch(
      /\.\/usr\/bin\/exchange -> \.\.\/lib\/exchange\/bin\/exchange\n/,
    );
    expect(dpkg("--info")).toContain("postinst");
  });

  test("rank a candidate of a release below the release itself", () => {
    const made = { tree: makeSmallTree(), root: ROOT, out: newFolder(), epoch };
    const file = makeDebianPackage({ ...made, version: "1.2.3-rc.1" });
    const version = execFileSync("dpkg-deb", ["--field", file, "Version"], { encoding: "utf8" });
    execFileSync("dpkg", ["--compare-versions", version.trim(), "lt", "1.2.3-1"]);
  });
});

test("the keys of an installation are made once, and stay as they are", () => {
  const etc = newFolder();
  // The script runs as it is, on another folder and without the programs that need root.
  const script = read(ROOT, "deploy/debian/postinst").replaceAll("/etc/exchange", etc);
  const bin = newFolder();
  for (const name of ["getent", "adduser", "chown"]) {
    write("#!/bin/sh\n", bin, name);
    execFileSync("chmod", ["755", path.join(bin, name)]);
  }
  for (const name of ["exchange", "api", "worker"]) write("", etc, `${name}.env`);
  const install = () =>
    execFileSync("sh", ["-c", script, "postinst", "configure"], {
      env: { PATH: `${bin}:${process.env["PATH"]}` },
    });
  install();
  const keys = read(etc, "secret-keys");
  expect(keys).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
  install();
  expect(read(etc, "secret-keys")).toBe(keys);
});

test("a licence that nobody allowed is refused, and each of those that must hold counts", () => {
  const party = (license) => [{ place: "none", name: "x", version: "1.0.0", license }];
  for (const license of ["MIT", "(MIT or MPL-2.0)", "MIT AND ISC"]) {
    expect(licencesText(ROOT, party(license))).toContain("x 1.0.0");
  }
  for (const license of [undefined, "AGPL-3.0", "MIT AND AGPL-3.0"]) {
    expect(() => licencesText(ROOT, party(license))).toThrow("may not contain x");
  }
});

test("the SBOM has each package that is shipped, with its hash, and no tool of development", () => {
  const root = ROOT;
  const make = () =>
    read(
      writeSbom({ root, out: newFolder(), name: "exchange", version: readVersion(root), epoch: 1 }),
    );
  const text = make();
  expect(make()).toBe(text);
  const { bomFormat, components } = JSON.parse(text);
  expect(bomFormat).toBe("CycloneDX");
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["fastify", "pg", "pg-protocol", "preact"]));
  expect(names).not.toContain("vitest");
  const parties = listThirdParties(root, { embedded: false });
  const shipped = new Set(parties.map((party) => `${party.name}@${party.version}`));
  const hashed = components.filter(({ hashes }) => hashes?.[0].alg === "SHA-512");
  expect(new Set(hashed.map((part) => part["bom-ref"]))).toEqual(shipped);
});

test("checksums and provenance name every artifact, and a changed artifact breaks the signature's chain", () => {
  const out = newFolder();
  write("one", out, "exchange-1.tar.xz");
  writeProvenance({ root: ROOT, out, name: "exchange-1", version: "1", isTrial: true });
  const statement = JSON.parse(read(out, "exchange-1.intoto.jsonl"));
  expect(statement.subject.map(({ name }) => name)).toEqual(["exchange-1.tar.xz"]);
  const sums = writeChecksums(out);
  const key = path.join(newFolder(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  signChecksums(sums, key);
  const signers = path.join(newFolder(), "signers");
  write(`releases ${read(`${key}.pub`)}`, signers);
  const verify = () => {
    const args = ["-Y", "verify", "-n", "exchange-release", "-I", "releases", "-f", signers];
    execFileSync("ssh-keygen", [...args, "-s", `${sums}.sig`], {
      input: readFileSync(sums),
      stdio: ["pipe", "ignore", "ignore"],
    });
    execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: out, stdio: "ignore" });
  };
  verify();
  write("other", out, "exchange-1.tar.xz");
  expect(verify).toThrow();
  writeChecksums(out);
  expect(verify).toThrow();
});
