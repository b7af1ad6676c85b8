/** What the connect page does with JavaScript: copies the code, checks without leaving the page, shows the reader's own time. */

// Longer than the server waits for the platform.
const CHECK_MS = 60_000;
const COUNT_EVERY_MS = 15_000;

const language = document.documentElement.lang;
const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;
let main = document.querySelector('main');
let isBusy = false;

function say(text) {
  main.querySelector('.status').textContent = text;
}

/** Fetches the page and puts it in the place of this one. A failure that is no page, such as one of a proxy, throws. */
async function load(options) {
  const response = await fetch(location.href, { ...options, signal: AbortSignal.timeout(CHECK_MS) });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = page.querySelector('main[data-state]');
  if (next === null) throw new Error(`status ${response.status}`);
  return { title: page.title, next };
}

function show({ title, next }) {
  document.title = title;
  main.replaceWith(document.adoptNode(next));
  main = next;
  enhance();
  // The old button is gone, and with it the place where a keyboard or a screen reader was.
  const isPending = main.dataset.state === 'pending';
  main.querySelector(isPending ? 'button[type=submit]' : 'h1').focus({ preventScroll: true });
  main.querySelector('[role=alert],h1').scrollIntoView({ block: 'nearest' });
}

async function check(form) {
  if (isBusy) return;
  isBusy = true;
  const button = form.querySelector('button');
  button.setAttribute('aria-disabled', 'true');
  say(form.dataset.checking);
  try {
    show(await load({ method: 'POST', body: new URLSearchParams(new FormData(form)) }));
  } catch {
    button.removeAttribute('aria-disabled');
    say(form.dataset.unreachable);
  }
  isBusy = false;
}

/** Looks whether the request has ended elsewhere: by a web proof, in another window, by its age. */
async function refresh() {
  if (isBusy || main.dataset.state !== 'pending') return;
  try {
    const found = await load({});
    // A check may have ended meanwhile: this answer is older.
    if (!isBusy && main.dataset.state === 'pending' && found.next.dataset.state !== 'pending') show(found);
  } catch {
    // The page stays as it is.
  }
}

async function copy(button) {
  const code = main.querySelector('.code code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    say(button.dataset.copied);
  } catch {
    // Not allowed, or no https.
    getSelection().selectAllChildren(code);
    say(button.dataset.byHand);
  }
}

function enhance() {
  const time = main.querySelector('time');
  if (time === null) return;
  main.querySelector('button[data-copied]').hidden = false;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  time.textContent = format.format(new Date(time.dateTime));
  countDown();
}

function countDown() {
  const time = main.querySelector('time');
  if (time === null) return;
  const left = Math.ceil((new Date(time.dateTime) - Date.now()) / 60_000);
  const text = new Intl.RelativeTimeFormat(locale).format(Math.max(left, 0), 'minute');
  main.querySelector('[data-left]').textContent = `(${text})`;
  if (left <= 0) refresh();
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  check(event.target);
});
document.addEventListener('click', ({ target }) => {
  const button = target.closest('button[data-copied]');
  if (button !== null) copy(button);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh();
});
setInterval(countDown, COUNT_EVERY_MS);
enhance();
