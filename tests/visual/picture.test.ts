import { expect, test } from "vitest";
import { type Picture, packPicture, readPicture, reducePicture, writePicture } from "./picture.ts";

const picture = (...colours: readonly string[]): Picture => ({
  width: colours.length,
  height: 1,
  data: Uint8Array.from(Buffer.from(colours.map((colour) => `${colour}ff`).join(""), "hex")),
});
const FLAG = picture("ff0000", "ffffff", "ffffff", "0020a0");

test("a packed picture has the colours of the screenshot, each in its place", () => {
  expect(readPicture(writePicture(FLAG))).toEqual(FLAG);
  expect(readPicture(packPicture(FLAG))).toEqual(FLAG);
  expect(reducePicture(FLAG)).toEqual(FLAG);
});

test("a picture of many colours is read from its file as it is compared", () => {
  const shades = Array.from({ length: 64 }, (_, shade) =>
    (shade * 4).toString(16).padStart(2, "0"),
  );
  const gradient = picture(...shades.map((shade) => `${shade}80${shade}`));
  expect(readPicture(packPicture(gradient))).toEqual(reducePicture(gradient));
  expect(reducePicture(gradient)).not.toEqual(gradient);
});
