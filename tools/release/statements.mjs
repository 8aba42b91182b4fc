// The statements of a release about itself: its parts (SBOM), its digests, its origin (provenance) and a signature.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { listThirdParties } from "./licences.mjs";
import { git } from "./refusals.mjs";

const OURS = ["server", "checkout", "console", "ui", "browser", "contract", "money", "node"];

const digestOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/**
 * Writes NAME.cdx.json, a CycloneDX document. npm makes it from the lock file. npm omits a package from a list
 * without development packages if any of those needs it. The list is therefore of all packages, and this function
 * chooses those of the release.
 */
export function writeSbom({ root, out, name, version, epoch }) {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"];
  const all = JSON.parse(
    execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }),
  );
  const parties = listThirdParties(root, { embedded: false });
  const refs = new Set([
    ...parties.map((party) => `${party.name}@${party.version}`),
    ...OURS.map((part) => `@exchange/${part}@${version}`),
  ]);
  const components = all.components.filter((part) => refs.has(part["bom-ref"]));
  if (components.length !== refs.size) {
    throw new Error(
      `npm sbom lists ${components.length} of the ${refs.size} parts of the release.`,
    );
  }
  const whole = `exchange@${version}`;
  const needs = (ref, list) => ({ ref, dependsOn: list.filter((part) => refs.has(part)) });
  const sbom = {
    ...all,
    serialNumber: undefined,
    metadata: {
      ...all.metadata,
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        ...all.metadata.component,
        "bom-ref": whole,
        name: "exchange",
        type: "application",
      },
    },
    components,
    dependencies: [
      needs(
        whole,
        ["server", "checkout", "console"].map((part) => `@exchange/${part}@${version}`),
      ),
      ...all.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => needs(ref, dependsOn ?? [])),
    ],
  };
  const file = path.join(out, `${name}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  return file;
}

/** Writes NAME.intoto.jsonl, an in-toto statement with SLSA's predicate: the inputs and outputs of the build. */
export function writeProvenance({ root, out, name, version, isTrial }) {
  const commit = git(root, "rev-parse", "HEAD");
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: listArtifacts(out).map((file) => ({
      name: file,
      digest: { sha256: digestOf(path.join(out, file)) },
    })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:exchange:npm-run-release:1",
        externalParameters: { tag: isTrial ? null : `v${version}`, command: "npm run release" },
        internalParameters: {
          node: process.version,
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [
          { uri: "git:exchange", digest: { gitCommit: commit } },
          {
            uri: "file:package-lock.json",
            digest: { sha256: digestOf(path.join(root, "package-lock.json")) },
          },
        ],
      },
      runDetails: { builder: { id: "urn:exchange:operator" } },
    },
  };
  const file = path.join(out, `${name}.intoto.jsonl`);
  writeFileSync(file, `${JSON.stringify(statement)}\n`);
  return file;
}

const listArtifacts = (out) =>
  readdirSync(out)
    .filter((file) => !file.startsWith("SHA256SUMS"))
    .toSorted((a, b) => (a < b ? -1 : 1));

/** Writes SHA256SUMS over everything else, which `sha256sum --check` reads. */
export function writeChecksums(out) {
  const lines = listArtifacts(out).map((file) => `${digestOf(path.join(out, file))}  ${file}\n`);
  const file = path.join(out, "SHA256SUMS");
  writeFileSync(file, lines.join(""));
  return file;
}

/**
 * Signs SHA256SUMS with an SSH key of the operator, which may be in an agent or on a hardware key. Every system that
 * has ssh can verify it, and nothing else needs to be installed (docs/decisions/0090-release-one-tree.md).
 */
export function signChecksums(sums, key) {
  execFileSync("ssh-keygen", ["-Y", "sign", "-q", "-n", "exchange-release", "-f", key, sums], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return `${sums}.sig`;
}
