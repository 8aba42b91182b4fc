import { formatPlain } from "../amounts/format.ts";
import { readAmount } from "../amounts/parse.ts";
import type { Choosing, Stage } from "./state.ts";

/** The same stage in another locale; an amount that was typed stays the same number. */
export function inLocale(stage: Stage, locale: string): Stage {
  switch (stage.kind) {
    case "booting":
    case "stopped":
      return stage;
    case "used":
    case "ordered":
      return stage.locale === locale ? stage : { ...stage, locale };
    case "choosing":
      return stage.world.locale === locale ? stage : choosingIn(stage, locale);
  }
}

function choosingIn(stage: Choosing, locale: string): Choosing {
  const reading = readAmount(stage.amount.text, stage.world.locale);
  const world = { ...stage.world, locale };
  if (reading.kind !== "amount") return { ...stage, world };
  const text = formatPlain(reading.value, reading.value.scale, locale);
  return { ...stage, world, amount: { ...stage.amount, text } };
}
