import { describe, expect, test } from "vitest";
import { addressKind } from "./addresses.ts";
import { assertAllowedAddress, TargetRefused } from "./targets.ts";

const NOT_PUBLIC = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255
  169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192
  192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1
  198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 168.63.129.16
  :: ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1
  100:0:0:1::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:20::1 2001:db8::1 2002:7f00:1::
  2002:a9fe:a9fe::1 2620:4f:8000::1 3fff::1 3fff:fff::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456::1
  fe80::1 fe80::1%eth0 fec0::1 ff00::1 ff02::1 ff0e::1 4000::1 e000::1
`.match(/\S+/g) as string[];

const LOOPBACK = ["127.0.0.1", "127.0.0.53", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"];

const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.1 169.253.255.255
  172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255
  2001:200::1 2001:db9::1 2003::1 2606:4700:4700::1111 2a00:1450:4001:82a::200e 3ffe::1
`.match(/\S+/g) as string[];

const UNREADABLE = [
  "",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.256",
  "2130706433",
  "gg::1",
  "1::2::3",
];

const STRICT = { allowSandboxTargets: false };
const SANDBOX = { allowSandboxTargets: true };

describe("where an address leads", () => {
  test("the list of vectors has at least 60 addresses", () => {
    expect(new Set([...NOT_PUBLIC, ...LOOPBACK, ...PUBLIC]).size).toBeGreaterThanOrEqual(60);
  });

  test.each(NOT_PUBLIC)("%s is not public, in a sandbox as well", (address) => {
    expect(addressKind(address)).toBe("not_public");
    expect(() => assertAllowedAddress(address, STRICT)).toThrow(TargetRefused);
    expect(() => assertAllowedAddress(address, SANDBOX)).toThrow(TargetRefused);
  });

  test.each(LOOPBACK)("%s is loopback, allowed in a sandbox only", (address) => {
    expect(addressKind(address)).toBe("loopback");
    expect(() => assertAllowedAddress(address, STRICT)).toThrow(TargetRefused);
    expect(() => assertAllowedAddress(address, SANDBOX)).not.toThrow();
  });

  test.each(PUBLIC)("%s is public", (address) => {
    expect(addressKind(address)).toBe("public");
    expect(() => assertAllowedAddress(address, STRICT)).not.toThrow();
  });

  test.each(UNREADABLE)("%j cannot be read, so it is not public", (address) => {
    expect(addressKind(address)).toBe("not_public");
  });
});
