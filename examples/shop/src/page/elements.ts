/** The page's element of this id. The server wrote the page, so it is there. */
export const find = <T extends HTMLElement = HTMLElement>(id: string): T =>
  document.getElementById(id) as T;

/** The products. There is none on the page that customers return to. */
export const orderForm = document.forms.namedItem("order-form") as HTMLFormElement;
