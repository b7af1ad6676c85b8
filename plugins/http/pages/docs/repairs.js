/**
 * Repairs what a screen reader or a keyboard cannot use in the reader of the documentation, after each of its changes: buttons
 * without a name, names without the text that is shown, and parts that scroll and cannot be focused.
 */
const REPAIRS = [
  ['button.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', 'Copy')],
  [
    'button.show-more[aria-label^="Show all"]',
    (button) => button.setAttribute('aria-label', `${button.textContent.trim()}: ${button.ariaLabel}`),
  ],
  ['ul.endpoints:not([tabindex]), code.custom-scroll:not([tabindex])', (part) => part.setAttribute('tabindex', '0')],
];

let isPlanned = false;

function repair() {
  isPlanned = false;
  for (const [selector, change] of REPAIRS) for (const element of document.querySelectorAll(selector)) change(element);
}

new MutationObserver(() => {
  if (!isPlanned) requestAnimationFrame(repair);
  isPlanned = true;
}).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ['aria-label'] });
repair();
