/** The texts of the small panel that stands in for the checkout until it has loaded. */
export type PanelTexts = readonly [
  title: string,
  loading: string,
  close: string,
  slow: string,
  retry: string,
  blocked: string,
  proceed: string,
];

const ENGLISH_PANEL: PanelTexts = [
  "Checkout",
  "Loading checkout…",
  "Close",
  "Checkout is taking too long to load. Check your connection.",
  "Retry",
  "Checkout opens in a new window.",
  "Continue",
];

const PANEL_TEXTS: Readonly<Record<string, PanelTexts>> = {
  en: ENGLISH_PANEL,
  de: [
    "Bezahlvorgang",
    "Bezahlvorgang wird geladen …",
    "Schließen",
    "Das Laden dauert zu lange. Prüfen Sie Ihre Verbindung.",
    "Erneut versuchen",
    "Der Bezahlvorgang öffnet sich in einem neuen Fenster.",
    "Weiter",
  ],
  fr: [
    "Paiement",
    "Chargement du paiement…",
    "Fermer",
    "Le chargement est trop long. Vérifiez votre connexion.",
    "Réessayer",
    "Le paiement s’ouvre dans une nouvelle fenêtre.",
    "Continuer",
  ],
  es: [
    "Pago",
    "Cargando el pago…",
    "Cerrar",
    "El pago tarda demasiado en cargar. Compruebe su conexión.",
    "Reintentar",
    "El pago se abre en una ventana nueva.",
    "Continuar",
  ],
  pt: [
    "Pagamento",
    "Carregando o pagamento…",
    "Fechar",
    "O pagamento está demorando a carregar. Verifique sua conexão.",
    "Tentar de novo",
    "O pagamento abre em uma nova janela.",
    "Continuar",
  ],
  it: [
    "Pagamento",
    "Caricamento del pagamento…",
    "Chiudi",
    "Il caricamento richiede troppo tempo. Controlli la connessione.",
    "Riprova",
    "Il pagamento si apre in una nuova finestra.",
    "Continua",
  ],
  tr: [
    "Ödeme",
    "Ödeme yükleniyor…",
    "Kapat",
    "Yükleme çok uzun sürüyor. Bağlantınızı kontrol edin.",
    "Tekrar dene",
    "Ödeme yeni bir pencerede açılır.",
    "Devam et",
  ],
  ar: [
    "الدفع",
    "جارٍ تحميل صفحة الدفع…",
    "إغلاق",
    "يستغرق تحميل صفحة الدفع وقتًا طويلاً. تحقّق من اتصالك.",
    "إعادة المحاولة",
    "تُفتح صفحة الدفع في نافذة جديدة.",
    "متابعة",
  ],
};

/**
 * Returns the texts in the first language of an Accept-Language header that the panel speaks, else in English. The title
 * names the shop.
 */
export function panelTexts(header: string | undefined, merchantName: string): PanelTexts {
  const wanted = (header ?? "").split(",").map((range) => range.trim().slice(0, 2).toLowerCase());
  const spoken = wanted.find((language) => Object.hasOwn(PANEL_TEXTS, language));
  const [name, ...others] = PANEL_TEXTS[spoken ?? "en"] ?? ENGLISH_PANEL;
  return [merchantName === "" ? name : `${name} – ${merchantName}`, ...others];
}
