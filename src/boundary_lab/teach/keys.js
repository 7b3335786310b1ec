// Jupyter runs a command for each plain key outside its editors, and counts a list of choices and a round button
// as outside: an arrow would leave them, a letter would add or delete a cell. Where they have the focus, keys are theirs.
const theirs = "select, input[type=radio]";

const keep = ({ target }) => {
  if (target.matches(theirs)) target.setAttribute("data-lm-suppress-shortcuts", "true");
};

async function render({ el }) {
  while (!el.parentElement) await new Promise(requestAnimationFrame);
  el.hidden = true;
  el.parentElement.addEventListener("focusin", keep);
}

export default { render };
