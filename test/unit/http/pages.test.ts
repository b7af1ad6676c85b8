import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fillIn, Html, html, stylesheet, wholePage } from '../../../plugins/http/pages/html.ts';
import type { Reply } from '../../../plugins/http/route.ts';

const text = (reply: Reply) => String(reply.body);

describe('html', () => {
  it('escapes every value that is not markup', () => {
    const nasty = `<script>alert("1")</script>&'`;
    expect(html`<p title="${nasty}">${nasty}</p>`.markup).toBe(
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</p>',
    );
    expect(html`${new Html('<b>')}${1}`.markup).toBe('<b>1');
  });
});

describe('fillIn', () => {
  it('puts values into the places of their names, escaped', () => {
    expect(fillIn('<{a}> & {b}{a}', { a: '"', b: new Html('<b>') }).markup).toBe('&lt;&quot;&gt; &amp; <b>&quot;');
  });
});

describe('wholePage', () => {
  it('allows its own style, what its maker adds, and nothing else', () => {
    const reply = wholePage(200, 'A <title>', html`<p>Text</p>`, stylesheet('p{margin:0}', ['img-src data:']), 'ja');
    const style = /<style>([\s\S]*?)<\/style>/.exec(text(reply))?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(reply.headers?.['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(text(reply)).not.toMatch(/<script|style="|https?:\/\//);
    expect(text(reply)).toContain('<title>A &lt;title&gt;</title>');
    expect(text(reply)).toContain('<html lang="ja">');
  });
});
