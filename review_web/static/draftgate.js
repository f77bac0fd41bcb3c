// Comforts on top of pages that work without it: no typed text is lost by leaving, Ctrl+Enter sends,
// and a double click sends once.
"use strict";

const typed = () => [...document.querySelectorAll("textarea[data-warn]")].some((field) => field.value !== field.defaultValue);
let isSending = false;

addEventListener("beforeunload", (event) => {
  if (!isSending && typed()) event.preventDefault();
});

addEventListener("submit", (event) => {
  if (isSending) {
    event.preventDefault();
    return;
  }
  isSending = true;
  // A page that comes back from the browser’s memory, or whose sending failed, can be sent again.
  addEventListener("pageshow", () => { isSending = false; }, { once: true });
  setTimeout(() => { isSending = false; }, 5000);
});

addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  const form = event.target.form;
  const button = form && (form.querySelector("button[data-key=approve]") || form.querySelector("button"));
  if (button && !button.disabled) {
    event.preventDefault();
    form.requestSubmit(button);
  }
});
