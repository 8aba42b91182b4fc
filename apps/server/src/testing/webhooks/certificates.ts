import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Makes a self-signed certificate for a host name, by OpenSSL. */
export function makeCertificate(hostname: string): { key: string; cert: string } {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-certificate-"));
  const keyFile = path.join(folder, "key.pem");
  const certFile = path.join(folder, "cert.pem");
  const command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(
    " ",
  );
  const names = ["-subj", `/CN=${hostname}`, "-addext", `subjectAltName=DNS:${hostname}`];
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", [...command, ...files, ...names], { stdio: "ignore" });
  const pair = { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}
