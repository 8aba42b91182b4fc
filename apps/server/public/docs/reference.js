// Search and the choice of a language in the API reference. Without it the page is complete, but unfiltered.
const found = document.querySelector("#found");
const sections = [...document.querySelectorAll("main section.operation")];
const errors = [...document.querySelectorAll("#error-codes tr")];

/** The text a part is found by: titles, addresses, descriptions and names of fields; not the examples. */
function textOf(part) {
  const texts = part.matches("tr")
    ? [part]
    : part.querySelectorAll("h3, .address, :scope > p, th[scope=row] code");
  return Array.from(texts, ({ textContent }) => textContent.toLowerCase()).join(" ");
}

/** Each part of the page that the search may hide. */
const parts = [...sections, ...errors].map((part) => ({ part, text: textOf(part) }));

/** Hides the parts that lack a word of the search; without words it shows everything. */
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { part, text } of parts) {
    part.hidden = !words.every((word) => text.includes(word));
    if (!part.hidden) count += 1;
  }
  for (const group of document.querySelectorAll("main section.group")) {
    const members = [...group.querySelectorAll("section.operation, #error-codes tr")];
    group.hidden = members.every((member) => member.hidden);
  }
  for (const item of document.querySelectorAll("nav li[data-for]")) {
    const target = document.getElementById(item.dataset.for);
    item.hidden = target?.closest("section")?.hidden ?? false;
  }
  found.textContent = words.length === 0 ? "" : `${count} ${count === 1 ? "match" : "matches"}`;
}

input.addEventListener("input", search);
search();
