import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { connectPage } from '../../../plugins/http/pages/connect-page.ts';
import { prose } from '../../../plugins/http/pages/docs/prose.ts';
import { Html, html, page } from '../../../plugins/http/pages/html.ts';
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

describe('page', () => {
  it('allows its own style and nothing else', () => {
    const reply = page(200, 'A <title>', html`<p>Text</p>`);
    const style = /<style>([\s\S]*?)<\/style>/.exec(text(reply))?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = reply.headers?.['content-security-policy'] ?? '';
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(text(reply)).not.toMatch(/<script|style="|https?:\/\//);
    expect(text(reply)).toContain('<title>A &lt;title&gt;</title>');
  });
});

describe('prose', () => {
  it('knows paragraphs, code, bold and fences, and escapes all of them', () => {
    expect(prose('A `<b>` **c**\n\nD\n\n```js\na < b\n```').markup).toBe(
      '<p>A <code>&lt;b&gt;</code> <strong>c</strong></p>\n<p>D</p>\n<pre tabindex="0"><code>a &lt; b\n</code></pre>',
    );
  });
});

describe('the connect page', () => {
  const request = {
    id: 'a'.repeat(48),
    externalId: 'user-42',
    platform: 'instagram',
    handle: null,
    code: 'credence-abc',
    status: 'pending',
    checks: 4,
    maxChecks: 5,
    expiresAt: new Date('2026-11-01T10:00:00Z'),
  } as unknown as ConnectionRequest;

  it('shows the code, asks for the handle by a labelled field, and says how often and how long it works', () => {
    const shown = text(connectPage({ kind: 'pending', request }, { platform: 'Instagram' }));
    expect(shown).toContain('<code>credence-abc</code>');
    expect(shown).toContain('<label for="handle">');
    expect(shown).toContain('1 check left');
    expect(shown).toContain('2026-11-01 10:00 UTC');
    expect(shown).toContain('<form method="post">');
  });

  it('does not ask for a handle that is fixed', () => {
    const shown = text(
      connectPage({ kind: 'pending', request: { ...request, handle: 'ada.l' } }, { platform: 'Instagram' }),
    );
    expect(shown).not.toContain('<input');
    expect(shown).toContain('@ada.l');
  });

  it('announces a problem, escaped, with its status', () => {
    const reply = connectPage(
      { kind: 'pending', request },
      { platform: 'Instagram', status: 502, problem: 'It <broke>' },
    );
    expect(reply.status).toBe(502);
    expect(text(reply)).toContain('role="alert" class="notice">It &lt;broke&gt;');
    const missing = text(connectPage({ kind: 'not-found-in-bio', request, handle: '<x>' }, { platform: 'Instagram' }));
    expect(missing).toContain('not in the bio of @&lt;x&gt; yet');
  });

  it.each([
    ['connected', 200, 'is connected'],
    ['expired', 410, 'has expired'],
    ['failed', 410, 'Too many checks'],
  ] as const)('has an end for %s', (kind, status, words) => {
    const reply = connectPage({ kind, request, account: null }, { platform: 'Instagram' });
    expect(reply.status).toBe(status);
    expect(text(reply)).toContain(words);
    expect(text(reply)).not.toContain('<form');
  });
});
