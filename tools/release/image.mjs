// Wraps a tree as the service's container image. Podman builds it without a daemon; Docker and Podman load it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { reproducible } from "./archives.mjs";

/** Returns whether this machine can make the image: the libraries in it are those of a Linux. */
export function canMakeImage() {
  if (process.platform !== "linux") return false;
  try {
    execFileSync("podman", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes NAME-image-PLATFORM.tar, which holds the image localhost/exchange:VERSION with this machine's Node. The same
 * tree, machine and time make the same bytes.
 */
export function makeImage({ tree, root, scratch, out, name, version, epoch }) {
  const rootFiles = path.join(scratch, "root-files");
  run("sh", path.join(root, "deploy/image/root-files.sh"), rootFiles);
  // The image's user is not the owner, and the operator's umask may be strict.
  run("chmod", "-R", "u=rwX,go=rX", tree);
  const empty = path.join(scratch, "empty");
  mkdirSync(empty);
  const podman = podmanOf(scratch);
  const image = `localhost/exchange:${version}`;
  podman(
    ...["build", "--quiet", "--isolation=chroot", "--layers=false", `--timestamp=${epoch}`],
    // Images of OCI's own format have no health check.
    ...["--format=docker", "--target=exchange", "--tag", image],
    ...[`--build-context=tree=${tree}`, `--build-context=root-files=${rootFiles}`],
    ...["--file", path.join(root, "deploy/Containerfile"), empty],
  );
  const saved = path.join(scratch, "image.tar");
  podman("save", "--quiet", "--format=docker-archive", "--output", saved, image);
  const file = path.join(out, `${name}-image-${process.platform}-${process.arch}.tar`);
  packImage({ saved, scratch, file, epoch });
  return file;
}

/** Returns a Podman whose images are in the scratch folder alone. */
function podmanOf(scratch) {
  const places = [`--root=${scratch}/images`, `--runroot=${scratch}/run`];
  return (...args) => run("podman", "--storage-driver=vfs", ...places, ...args);
}

/** Packs a saved image again, without the random names of the container that built it. */
function packImage({ saved, scratch, file, epoch }) {
  const folder = path.join(scratch, "image");
  mkdirSync(folder);
  run("tar", "-xf", saved, "-C", folder);
  rmSync(saved);
  const [manifest] = JSON.parse(readFileSync(path.join(folder, "manifest.json"), "utf8"));
  const config = JSON.parse(readFileSync(path.join(folder, manifest.Config), "utf8"));
  const { container: _, container_config: _of, ...image } = config;
  image.config.Hostname = "";
  const layerFiles = new Set(manifest.Layers);
  for (const each of readdirSync(folder)) {
    if (!layerFiles.has(each)) rmSync(path.join(folder, each), { recursive: true });
  }
  // The layers alone are compressed, because Podman 4 refuses a compressed archive. xz would take ten times as long.
  const layers = manifest.Layers.map((layer) => path.join(folder, layer));
  run("gzip", "-n", ...layers);
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(image));
  const named = [
    { ...manifest, Config: "config.json", Layers: manifest.Layers.map((layer) => `${layer}.gz`) },
  ];
  writeFileSync(path.join(folder, "manifest.json"), JSON.stringify(named));
  run(
    ...["tar", ...reproducible(epoch), "--format=ustar", "-cf", file, "-C", folder],
    ...readdirSync(folder).toSorted(),
  );
}

const run = (command, ...args) =>
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
