/** Server-rendered pages: escaped by default, styled inline under a strict content security policy, no scripts. */
import { createHash } from 'node:crypto';
import type { Reply } from '../route.ts';

const STYLE = `:root{color-scheme:light dark;--accent:#1257c9}@media (prefers-color-scheme:dark){:root{--accent:#8ab4f8}}
body{font:1rem/1.6 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1.25rem}
h1{font-size:1.5rem;line-height:1.25}code{font-size:1.15em;padding:.2em .4em;border:1px solid currentColor;border-radius:.3em;user-select:all}
label{display:block;font-weight:600;margin-bottom:.25rem}input{font:inherit;padding:.5rem;width:100%;box-sizing:border-box}
button{font:inherit;font-weight:600;margin-top:1rem;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:var(--accent);color:Canvas;cursor:pointer}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}.notice{border-left:.3rem solid var(--accent);padding:.25rem 1rem}`;

/** Style text and the header fields that allow it and nothing else. */
export interface Stylesheet {
  readonly css: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a style sheet for `page`; the text must not hold `</style`. */
export function stylesheet(css: string): Stylesheet {
  const hash = createHash('sha256').update(css).digest('base64');
  return {
    css,
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
  };
}

const SMALL_PAGE = stylesheet(STYLE);

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

/** Pieces of markup after one another. */
export function joined(parts: readonly Html[], separator = '\n'): Html {
  return new Html(parts.map(({ markup }) => markup).join(separator));
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A small page with a heading as a reply. */
export function page(status: number, title: string, content: Html): Reply {
  const body = html`<main>
<h1>${title}</h1>
${content}
</main>`;
  return wholePage(status, title, body, SMALL_PAGE);
}

/** A page whose body and style are the caller's own. */
export function wholePage(status: number, title: string, body: Html, style: Stylesheet): Reply {
  const document = wholeDocument(title, html`<style>${new Html(style.css)}</style>`, body);
  return { status, contentType: 'text/html; charset=utf-8', headers: style.headers, body: document.markup };
}

/** A document; `head` comes after its title. */
export function wholeDocument(title: string, head: Html, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;
}
