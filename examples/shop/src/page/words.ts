const en = {
  skip: "Skip to the products",
  choose: "Choose a product",
  summary: "Order summary",
  product: "Product",
  fee: "Shop fee",
  none: "None",
  total: { B: "Total", S: "You send", CC: "You send", FF: "Total" },
  openPrice: "You choose",
  purchase: "Your purchase",
  started: "Checkout started",
  placed: "Order placed",
  paid: { B: "Paid", S: "Paid out", CC: "Swapped", FF: "Arrived" },
  order: "order",
  session: "session",
  simulateHint: "In the sandbox nobody sends this payment. The shop's server can make it arrive.",
  simulate: "Simulate the payment",
  simulated: "The payment is on its way.",
  newPurchase: "New purchase",
  again: "Open again in the same session",
  closed: "Checkout was closed without a new order. Nothing was charged.",
  failed: "Checkout could not be opened. Nothing was charged.",
  notLoaded: "Checkout could not be loaded. Is Exchange running?",
  tryLater: "That did not work. Please try again in a moment.",
};

export type Words = typeof en;

const ar: Words = {
  skip: "انتقل إلى المنتجات",
  choose: "اختر منتجًا",
  summary: "ملخص الطلب",
  product: "المنتج",
  fee: "رسوم المتجر",
  none: "لا توجد",
  total: { B: "الإجمالي", S: "ترسل", CC: "ترسل", FF: "الإجمالي" },
  openPrice: "تختاره أنت",
  purchase: "مشترياتك",
  started: "بدأ الدفع",
  placed: "تم تقديم الطلب",
  paid: { B: "تم الدفع", S: "تم التحويل إليك", CC: "تمت المبادلة", FF: "وصلت الحوالة" },
  order: "الطلب",
  session: "الجلسة",
  simulateHint: "في البيئة التجريبية لا يرسل أحد هذه الدفعة. يستطيع خادم المتجر أن يجعلها تصل.",
  simulate: "محاكاة الدفعة",
  simulated: "الدفعة في الطريق.",
  newPurchase: "شراء جديد",
  again: "افتح مرة أخرى في الجلسة نفسها",
  closed: "أُغلقت صفحة الدفع دون طلب جديد. لم يُخصم أي مبلغ.",
  failed: "تعذّر فتح صفحة الدفع. لم يُخصم أي مبلغ.",
  notLoaded: "تعذّر تحميل صفحة الدفع. هل خدمة Exchange تعمل؟",
  tryLater: "لم ينجح ذلك. حاول مرة أخرى بعد قليل.",
};

/** What a customer reads. The developer's half of each page is in English. */
export const WORDS: Readonly<Record<string, Words>> = { en, ar };

export const wordsIn = (language: string): Words => WORDS[language] ?? en;
