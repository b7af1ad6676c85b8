/** Server-rendered pages: escaped by default, styled inline under a strict content security policy, no scripts. */
import { createHash } from 'node:crypto';
import type { Reply } from '../route.ts';

const STYLE = `:root{color-scheme:light dark;--accent:#1257c9}@media (prefers-color-scheme:dark){:root{--accent:#8ab4f8}}
body{font:1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1.25rem}
h1{font-size:1.5rem;line-height:1.25}code{font-size:1.15em;padding:.2em .4em;border:1px solid currentColor;border-radius:.3em;user-select:all}
label{display:block;font-weight:600;margin-bottom:.25rem}input{font:inherit;padding:.5rem;width:100%;box-sizing:border-box}
button{font:inherit;font-weight:600;margin-top:1rem;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:var(--accent);color:Canvas;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}.notice{border-left:.3rem solid var(--accent);padding:.25rem 1rem}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const SECURITY_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** Text that is already markup. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Template tag: every value is escaped, unless it is `Html` itself. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  const parts = strings.map((text, index) => {
    const value = values[index];
    return text + (value === undefined ? '' : value instanceof Html ? value.markup : escapeHtml(String(value)));
  });
  return new Html(parts.join(''));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A whole page as a reply. */
export function page(status: number, title: string, content: Html): Reply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', headers: SECURITY_HEADERS, body: document.markup };
}
