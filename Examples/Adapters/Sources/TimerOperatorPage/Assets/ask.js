// Asks before an act that can't be taken back. Without this script it is done at one press.
"use strict";

// Asks a question. Escape answers no.
function ask(text, yes) {
  const dialog = document.getElementById("question");
  const [yesButton, noButton] = dialog.querySelectorAll("button");
  document.getElementById("question-text").textContent = text;
  yesButton.textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  noButton.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

// The button whose question was answered with yes.
let sureButton = null;

// A button with a question sends its form once the answer is yes.
document.addEventListener("submit", async (event) => {
  const button = event.submitter;
  if (!button?.dataset.question || button === sureButton) return;
  event.preventDefault();
  if (!(await ask(button.dataset.question, `Yes, ${button.textContent.toLowerCase()}`))) return;
  sureButton = button;
  button.form.requestSubmit(button);
  sureButton = null;
});
