/** Server-rendered pages: escaped by default, styled inline under a strict content security policy. */
import { createHash } from 'node:crypto';
import type { Reply } from '../route.ts';

/** Style text and the content security policy that allows it and nothing else. */
export interface Stylesheet {
  readonly css: string;
  readonly policy: string;
}

/**
 * Makes a style sheet for `wholePage`; the text must not hold `</style`.
 * @param allowed further directives of the content security policy, for example `img-src data:`; without any, a page has its
 * style and its forms
 */
export function stylesheet(css: string, allowed: readonly string[] = []): Stylesheet {
  const hash = createHash('sha256').update(css).digest('base64');
  const end = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  return { css, policy: ["default-src 'none'", `style-src 'sha256-${hash}'`, ...allowed, end].join('; ') };
}

/** Text that is already markup. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Template tag: every value is escaped, unless it is `Html` itself. Null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | number | Html | null)[]): Html {
  const parts = strings.map((text, index) => {
    const value = values[index];
    return text + (value == null ? '' : value instanceof Html ? value.markup : escapeHtml(String(value)));
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

/** Text with `{name}` placeholders, each replaced by its value; escaped, values that are `Html` excepted. */
export function fillIn(text: string, values: Readonly<Record<string, string | number | Html>>): Html {
  const parts = text.split(/\{(\w+)\}/);
  return joined(
    parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`${values[part] ?? ''}`)),
    '',
  );
}

/** A page whose body and style are the caller's own, in English unless `lang` names another language. */
export function wholePage(status: number, title: string | Html, body: Html, style: Stylesheet, lang = 'en'): Reply {
  return pageReply(status, wholeDocument(title, html`<style>${new Html(style.css)}</style>`, body, lang), style.policy);
}

/** Answers with a document under a content security policy. */
export function pageReply(status: number, { markup }: Html, policy: string): Reply {
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
    body: markup,
  };
}

/** A document; `head` comes after its title. */
export function wholeDocument(title: string | Html, head: Html, body: Html, lang = 'en'): Html {
  return html`<!doctype html>
<html lang="${lang}">
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
