/** The page of the console: it loads the built script and styles, under a policy that lets nothing else run or load. */
import { randomBytes } from 'node:crypto';
import { html, joined, LOGO_URL, type Reply, wholeDocument } from 'credence/kit';
import type { ConsoleEntry } from './files.ts';

const NONCE_BYTES = 16;
/** Below the page, so that links relative to it work behind any prefix. */
const FOLDER = 'console/files/';

export interface ConsolePage extends ConsoleEntry {
  /** The host's own authentication may know who calls; the app asks before it asks for a token. */
  readonly hasIdentify: boolean;
  /** The app leaves out the pages of others. */
  readonly services: readonly string[];
  /** A cookie keeps who is signed in; otherwise the page does, until it is closed. */
  readonly hasSessions: boolean;
}

/** The page. Styles that the app adds to it carry the nonce, a new one for each answer. */
export function consolePage({ script, styles, hasIdentify, services, hasSessions }: ConsolePage): Reply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const links = styles.map((name) => html`<link rel="stylesheet" href="${FOLDER + name}">`);
  const page = wholeDocument(
    'Credence console',
    html`<meta name="color-scheme" content="light dark">
<link rel="icon" href="${LOGO_URL}">
<meta property="csp-nonce" nonce="${nonce}">
${joined(links)}
<script type="module" src="${FOLDER + script}"></script>`,
    html`<div id="app" data-identify="${hasIdentify ? 'host' : 'token'}" data-services="${services.join(' ')}" data-session="${hasSessions ? 'cookie' : 'memory'}">
<p>The console did not start. Reload the page. If this stays, the host is down, or the browser is too old.</p></div>
<noscript><p>The console needs scripts: allow them for this page.</p></noscript>`,
  );
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data: https:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    body: page.markup,
  };
}
