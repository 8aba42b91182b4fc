import type { Language } from "@exchange/ui/languages";
import type { Catalogue } from "@exchange/ui/messages";

/** A file of each language: texts of the first screen, of the steps up to the order, of the order. */
export type Part = "first" | "steps" | "orders";
type Fetch = () => Promise<{ readonly default: Catalogue }>;

/** Fetches each language's files. English needs none: it comes with the screens. */
export const CATALOGUES: Readonly<Record<Exclude<Language, "en">, Readonly<Record<Part, Fetch>>>> =
  {
    de: {
      first: () => import("../../locales/de/first.json"),
      steps: () => import("../../locales/de/steps.json"),
      orders: () => import("../../locales/de/orders.json"),
    },
    fr: {
      first: () => import("../../locales/fr/first.json"),
      steps: () => import("../../locales/fr/steps.json"),
      orders: () => import("../../locales/fr/orders.json"),
    },
    es: {
      first: () => import("../../locales/es/first.json"),
      steps: () => import("../../locales/es/steps.json"),
      orders: () => import("../../locales/es/orders.json"),
    },
    "pt-BR": {
      first: () => import("../../locales/pt-BR/first.json"),
      steps: () => import("../../locales/pt-BR/steps.json"),
      orders: () => import("../../locales/pt-BR/orders.json"),
    },
    it: {
      first: () => import("../../locales/it/first.json"),
      steps: () => import("../../locales/it/steps.json"),
      orders: () => import("../../locales/it/orders.json"),
    },
    tr: {
      first: () => import("../../locales/tr/first.json"),
      steps: () => import("../../locales/tr/steps.json"),
      orders: () => import("../../locales/tr/orders.json"),
    },
    ar: {
      first: () => import("../../locales/ar/first.json"),
      steps: () => import("../../locales/ar/steps.json"),
      orders: () => import("../../locales/ar/orders.json"),
    },
  };
