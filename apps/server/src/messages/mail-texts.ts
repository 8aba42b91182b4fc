interface KindTexts {
  /** The subject and the heading, with the merchant's name. */
  readonly title: string;
  readonly text: string;
  readonly button: string;
}

/** The words of mails to customers in one language. */
export interface MailTexts {
  readonly link: KindTexts;
  readonly receipt: KindTexts & {
    readonly number: string;
    readonly date: string;
    readonly paid: string;
    readonly got: string;
  };
  readonly careful: string;
  readonly why: string;
}

/** The words by language, as in the contract's `MAIL_LANGUAGES`. */
export const MAIL_TEXTS = {
  en: {
    link: {
      title: "Your order at {shop}",
      text: "On this page you can follow your order, pay it and cancel it while that is possible.",
      button: "Open the order",
    },
    receipt: {
      title: "Receipt for your order at {shop}",
      text: "Your order is complete.",
      button: "Open the order",
      number: "Order number",
      date: "Date",
      paid: "You paid",
      got: "You received",
    },
    careful: "Do not forward this mail. Anyone who has the link can open the order.",
    why: "You get this mail because this address was entered in the checkout. If it was not you, ignore it.",
  },
  de: {
    link: {
      title: "Ihr Auftrag bei {shop}",
      text: "Auf dieser Seite können Sie Ihren Auftrag verfolgen, bezahlen und stornieren, solange das möglich ist.",
      button: "Auftrag öffnen",
    },
    receipt: {
      title: "Beleg zu Ihrem Auftrag bei {shop}",
      text: "Ihr Auftrag ist abgeschlossen.",
      button: "Auftrag öffnen",
      number: "Auftragsnummer",
      date: "Datum",
      paid: "Sie haben gezahlt",
      got: "Sie haben erhalten",
    },
    careful: "Leiten Sie diese E-Mail nicht weiter. Wer den Link hat, kann den Auftrag öffnen.",
    why: "Sie erhalten diese E-Mail, weil diese Adresse beim Bezahlen eingegeben wurde. Wenn Sie das nicht waren, ignorieren Sie sie.",
  },
  fr: {
    link: {
      title: "Votre commande chez {shop}",
      text: "Sur cette page, vous pouvez suivre votre commande, la payer et l’annuler tant que c’est possible.",
      button: "Ouvrir la commande",
    },
    receipt: {
      title: "Reçu de votre commande chez {shop}",
      text: "Votre commande est terminée.",
      button: "Ouvrir la commande",
      number: "Numéro de commande",
      date: "Date",
      paid: "Vous avez payé",
      got: "Vous avez reçu",
    },
    careful: "Ne transférez pas cet e-mail. Toute personne qui a le lien peut ouvrir la commande.",
    why: "Vous recevez cet e-mail parce que cette adresse a été saisie lors du paiement. Si ce n’était pas vous, ignorez-le.",
  },
  es: {
    link: {
      title: "Su pedido en {shop}",
      text: "En esta página puede seguir su pedido, pagarlo y cancelarlo mientras sea posible.",
      button: "Abrir el pedido",
    },
    receipt: {
      title: "Recibo de su pedido en {shop}",
      text: "Su pedido está completado.",
      button: "Abrir el pedido",
      number: "Número de pedido",
      date: "Fecha",
      paid: "Ha pagado",
      got: "Ha recibido",
    },
    careful: "No reenvíe este correo. Cualquiera que tenga el enlace puede abrir el pedido.",
    why: "Recibe este correo porque se introdujo esta dirección al pagar. Si no fue usted, ignórelo.",
  },
  "pt-BR": {
    link: {
      title: "Seu pedido em {shop}",
      text: "Nesta página você pode acompanhar seu pedido, pagá-lo e cancelá-lo enquanto for possível.",
      button: "Abrir o pedido",
    },
    receipt: {
      title: "Recibo do seu pedido em {shop}",
      text: "Seu pedido foi concluído.",
      button: "Abrir o pedido",
      number: "Número do pedido",
      date: "Data",
      paid: "Você pagou",
      got: "Você recebeu",
    },
    careful: "Não encaminhe este e-mail. Qualquer pessoa com o link pode abrir o pedido.",
    why: "Você recebeu este e-mail porque este endereço foi informado no pagamento. Se não foi você, ignore-o.",
  },
  it: {
    link: {
      title: "Il Suo ordine da {shop}",
      text: "In questa pagina può seguire il Suo ordine, pagarlo e annullarlo finché è possibile.",
      button: "Apri l’ordine",
    },
    receipt: {
      title: "Ricevuta del Suo ordine da {shop}",
      text: "Il Suo ordine è completato.",
      button: "Apri l’ordine",
      number: "Numero d’ordine",
      date: "Data",
      paid: "Ha pagato",
      got: "Ha ricevuto",
    },
    careful: "Non inoltri questa e-mail. Chiunque abbia il link può aprire l’ordine.",
    why: "Riceve questa e-mail perché questo indirizzo è stato inserito durante il pagamento. Se non è stato Lei, la ignori.",
  },
  tr: {
    link: {
      title: "{shop} siparişiniz",
      text: "Bu sayfada siparişinizi takip edebilir, ödeyebilir ve mümkün olduğu sürece iptal edebilirsiniz.",
      button: "Siparişi aç",
    },
    receipt: {
      title: "{shop} siparişinizin makbuzu",
      text: "Siparişiniz tamamlandı.",
      button: "Siparişi aç",
      number: "Sipariş numarası",
      date: "Tarih",
      paid: "Ödediğiniz tutar",
      got: "Aldığınız tutar",
    },
    careful: "Bu e-postayı iletmeyin. Bağlantıya sahip olan herkes siparişi açabilir.",
    why: "Bu e-postayı, ödeme sırasında bu adres girildiği için alıyorsunuz. Bunu siz yapmadıysanız dikkate almayın.",
  },
  ar: {
    link: {
      title: "طلبك لدى {shop}",
      text: "في هذه الصفحة يمكنك متابعة طلبك ودفعه وإلغاؤه ما دام ذلك ممكنًا.",
      button: "فتح الطلب",
    },
    receipt: {
      title: "إيصال طلبك لدى {shop}",
      text: "اكتمل طلبك.",
      button: "فتح الطلب",
      number: "رقم الطلب",
      date: "التاريخ",
      paid: "دفعت",
      got: "استلمت",
    },
    careful: "لا تُعِد توجيه هذه الرسالة. يستطيع كل من لديه الرابط فتح الطلب.",
    why: "وصلتك هذه الرسالة لأن هذا العنوان أُدخل عند الدفع. إن لم تكن أنت من أدخله فتجاهلها.",
  },
} as const satisfies Record<string, MailTexts>;
