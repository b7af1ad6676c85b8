/** What the page says about its instance. */

const root = document.getElementById('app');
if (root === null) throw new Error('This script runs in the page /console only.');

const pageUrl = location.href.split(/[?#]/, 1)[0] as string;

export const settings = {
  root,
  /** The host's own authentication may know who calls. */
  hasIdentify: root.dataset.identify === 'host',
  /** A cookie keeps who is signed in, for twelve hours. */
  hasSessions: root.dataset.session === 'cookie',
  services: new Set(root.dataset.services?.split(' ')),
  /** Where the API is mounted: the page is `console` below it. */
  apiUrl: new URL('.', pageUrl).href,
  pageUrl,
  /** The script that runs, as the page names it. */
  script: document.querySelector('script[type=module]')?.getAttribute('src'),
} as const;

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// Where libraries that add styles look for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
