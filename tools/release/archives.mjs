// Wraps a tree as a tarball and as a Debian package. The same tree, version and time make the same bytes.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { listTree } from "./tree.mjs";

/** Returns the options of a tar whose bytes do not depend on the machine. `epoch` is the time of every file, in seconds. */
export const reproducible = (epoch) => [
  ...["--sort=name", `--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner"],
  ...["--mode=u=rwX,go=rX"],
];

/** Makes NAME.tar.xz, which unpacks to the folder NAME. `epoch` is the time of every file, in seconds. */
export function makeTarball({ tree, name, out, epoch }) {
  const file = path.join(out, `${name}.tar.xz`);
  const args = [
    ...[...reproducible(epoch), "--format=gnu", `--transform=flags=r;s,^\\.,${name},`],
    // More than one thread of xz cuts the stream by the number of processors.
    ...["--use-compress-program=xz -6 -T1", "-cf", file, "-C", tree, "."],
  ];
  execFileSync("tar", args, { stdio: "inherit" });
  return file;
}

/** Files of deploy/ in the package, with their places. */
const PLACES = {
  "debian/exchange.env": "etc/exchange/exchange.env",
  "debian/api.env": "etc/exchange/api.env",
  "debian/worker.env": "etc/exchange/worker.env",
  "systemd/exchange@.service": "lib/systemd/system/exchange@.service",
  "systemd/exchange-migrate.service": "lib/systemd/system/exchange-migrate.service",
};
const SCRIPTS = ["postinst", "prerm", "postrm"];

/** Makes exchange_VERSION-1_all.deb. Its maintainer scripts make the user, and the secret keys once. */
export function makeDebianPackage({ tree, root, out, version, epoch }) {
  const folder = path.join(out, "debian-package");
  rmSync(folder, { recursive: true, force: true });
  const place = (target) => {
    const file = path.join(folder, target);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  cpSync(tree, place("usr/lib/exchange"), { recursive: true, verbatimSymlinks: true });
  symlinkSync("../lib/exchange/bin/exchange", place("usr/bin/exchange"));
  for (const [source, target] of Object.entries(PLACES)) {
    copyFileSync(path.join(root, "deploy", source), place(target));
  }
  const about = "usr/share/doc/exchange";
  copyFileSync(path.join(tree, "THIRD-PARTY-LICENSES"), place(`${about}/THIRD-PARTY-LICENSES`));
  copyFileSync(path.join(tree, "LICENSE"), place(`${about}/copyright`));
  const changes = readFileSync(path.join(tree, "CHANGELOG.md"));
  writeFileSync(place(`${about}/changelog.gz`), gzipSync(changes, { level: 9 }));
  const completion = "usr/share/bash-completion/completions/exchange";
  writeFileSync(place(completion), run(path.join(tree, "bin/exchange"), ["completion"]));
  writeControl({ folder, root, version });
  run("chmod", ["-R", "u=rwX,go=rX", folder]);
  for (const script of SCRIPTS) chmodSync(path.join(folder, "DEBIAN", script), 0o755);
  const file = path.join(out, `exchange_${version}-1_all.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "--threads-max=1", "--build", folder, file], env);
  rmSync(folder, { recursive: true });
  return file;
}

function writeControl({ folder, root, version }) {
  const control = path.join(folder, "DEBIAN");
  const bytes = listTree(folder).reduce((sum, file) => sum + file.bytes, 0);
  mkdirSync(control);
  const text = readFileSync(path.join(root, "deploy/debian/control"), "utf8")
    // dpkg ranks 0.2.0~rc.1-1 below 0.2.0-1, and 0.2.0-rc.1-1 above it.
    .replace("${version}", `${version.replace("-", "~")}-1`)
    .replace("${installed-size}", String(Math.ceil(bytes / 1024)));
  writeFileSync(path.join(control, "control"), text);
  for (const name of ["conffiles", ...SCRIPTS]) {
    copyFileSync(path.join(root, "deploy/debian", name), path.join(control, name));
  }
}

const run = (command, args, env = process.env) =>
  execFileSync(command, args, { env, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
