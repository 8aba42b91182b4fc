import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VenueFault } from "./market/venue.ts";
import { REFERENCES } from "./providers.ts";

// Every publisher of daily rates reads its fixture, and refuses a list that is damaged.

describe.each(Object.values(REFERENCES).map((one) => [one.name, one] as const))(
  "%s",
  (name, source) => {
    const xml = readFileSync(new URL(`${name}/fixtures/daily.xml`, import.meta.url), "utf8");

    test("reads the rates of a day", () => {
      const { day, perEuro } = source.read(xml);
      expect(day).toBe("2026-11-20");
      expect(perEuro.size).toBe(30);
      expect(perEuro.get("USD")).toEqual({ units: 11_604n, scale: 4 });
    });

    test.each([
      ["without a day", xml.replace(/ time='[^']*'/, "")],
      ["cut short", xml.slice(0, 900)],
      ["with a rate that is not a number", xml.replace("1.1604", "1,1604")],
      ["with a rate of zero", xml.replace("1.1604", "0.0000")],
      ["with two rates for a currency", xml.replace("'JPY'", "'USD'")],
      ["that is HTML", "<html>moved</html>"],
    ])("refuses a list %s", (_what, text) => {
      expect(() => source.read(text)).toThrow(VenueFault);
    });
  },
);
