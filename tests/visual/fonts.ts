import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const require = createRequire(import.meta.url);
const FONTS = path.join(path.dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");
/** All but the upright Sans, Mono and Serif, regular and bold. */
const UNUSED = ["*Condensed*", "*ExtraLight*", "*Oblique*", "*Italic*", "*MathTeX*"];

const configuration = (cache: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${FONTS}</dir>
  <cachedir>${cache}</cachedir>
  <selectfont><rejectfont>
    ${UNUSED.map((glob) => `<glob>${FONTS}/${glob}</glob>`).join("\n    ")}
  </rejectfont></selectfont>
  <match target="pattern">
    <edit name="hintstyle" mode="append"><const>hintslight</const></edit>
  </match>
</fontconfig>
`;

/**
 * The variables by which a browser sees these fonts and no others: whatever a machine has, and whichever
 * of it a browser would choose, words are as wide. Fontconfig reads them: on Linux.
 */
export function fontVariables(): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), "exchange-fonts-"));
  const file = path.join(folder, "fonts.conf");
  writeFileSync(file, configuration(folder));
  return { FONTCONFIG_FILE: file };
}
