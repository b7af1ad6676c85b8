/**
 * Repairs what a screen reader or a keyboard cannot use in the reader of the documentation, as soon as it changes and before
 * that is drawn: buttons without a name, names without the text that is shown, and parts that scroll and cannot be focused.
 */
// What is written on a button that copies is hidden, and it is called Copy.
const NAMED = ':is(button, a, [role="button"])[aria-label]:not(.scalar-code-copy)';
const REPAIRS = [
  ['button.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', 'Copy')],
  [NAMED, nameByText],
  [
    ':is(ul.endpoints, ul.channels, .custom-scroll, .overflow-x-auto):not([tabindex])',
    (part) => part.setAttribute('tabindex', '0'),
  ],
];

/** People who speak to the browser find a button by what is written on it. */
function nameByText(control) {
  const text = control.textContent.trim().replace(/\s+/g, ' ');
  const label = control.ariaLabel;
  if (text !== '' && !label.toLowerCase().includes(text.toLowerCase())) {
    control.setAttribute('aria-label', `${text}: ${label}`);
  }
}

function repair(element) {
  for (const [selector, change] of REPAIRS) {
    if (element.matches(selector)) change(element);
    for (const inner of element.querySelectorAll(selector)) change(inner);
  }
}

new MutationObserver((changes) => {
  for (const { target, addedNodes, type } of changes) {
    const element = target instanceof Element ? target : target.parentElement;
    const control = element?.closest(NAMED);
    if (control) nameByText(control);
    if (type === 'attributes') for (const [selector, change] of REPAIRS) if (element.matches(selector)) change(element);
    for (const node of addedNodes) if (node instanceof Element) repair(node);
  }
}).observe(document, {
  childList: true,
  subtree: true,
  characterData: true,
  attributeFilter: ['aria-label', 'class', 'tabindex'],
});
repair(document.documentElement);
