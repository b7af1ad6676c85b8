/** The HTML pages: no script but their own file, no frame, no cache, no referrer; and links that nobody can guess. */
import { describe, expect, it } from 'vitest';
import { HOST_KINDS } from '../support/hosts.ts';
import { instanceOfBlock } from '../support/instance.ts';

describe.each(HOST_KINDS)('pages on %s', (host) => {
  const brand = { name: '</title><script>alert(0)</script>', logoUrl: 'https://cdn.example/logo.png' };
  const instance = instanceOfBlock({ host, config: { connect: { brand } } });
  let opened = 0;

  async function open(handle?: string): Promise<string> {
    const inputs = handle === undefined ? {} : { inputs: { handle } };
    const { json, text } = await instance.api.call('POST', '/social-accounts/connect', {
      // Each of another creator: one may open a few only.
      body: { platform: 'instagram', externalId: `<script>alert(${++opened})</script>`, ...inputs },
    });
    expect(json.data?.requestId, text).toBeTypeOf('string');
    return String(json.data?.requestId);
  }

  const form = (id: string, raw: string) =>
    instance.api.call('POST', `/connect/${id}`, {
      raw,
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('are sealed off, whatever they say', async () => {
    const id = await open();
    const pages = [
      await instance.api.call('GET', `/connect/${id}`, { token: null }),
      await instance.api.call('GET', `/connect/${id}?lang=%22%3E%3Cscript%3E`, {
        token: null,
        headers: { 'accept-language': `"><script>${','.repeat(5_000)}` },
      }),
      await instance.api.call('GET', '/connect/unknown', { token: null }),
      await form(id, 'handle=%3Cimg+src%3Dx%3E'),
      await form(id, 'handle=nobody.there'),
    ];
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 404, 400, expect.any(Number)]);
    for (const { headers, text } of pages) {
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = headers.get('content-security-policy') ?? '';
      const rules = new Map(
        policy.split(';').map((rule) => {
          const [name = '', ...values] = rule.trim().split(' ');
          return [name, values.join(' ')] as const;
        }),
      );
      expect(rules.get('default-src')).toBe("'none'");
      expect(rules.get('frame-ancestors')).toBe("'none'");
      expect(rules.get('base-uri')).toBe("'none'");
      expect(rules.get('form-action')).toBe("'self'");
      const scripts = text.match(/<script[^>]*>/g) ?? [];
      // A page with a form may run one file of its own and ask its own server.
      for (const rule of ['script-src', 'connect-src'])
        expect(rules.get(rule)).toBe(scripts.length === 0 ? undefined : "'self'");
      expect(scripts.length).toBeLessThanOrEqual(1);
      for (const script of scripts) expect(script).toMatch(/^<script src="scripts\/connect-[0-9a-f]{16}\.js">$/);
      expect(rules.get('img-src')).toBe(text.includes('<img') ? 'https://cdn.example/logo.png' : undefined);
      expect(policy.replace('https://cdn.example/logo.png', '')).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('set-cookie')).toBeNull();
      const strange = text
        .replaceAll(/<script src="scripts\/[^"]*"><\/script>/g, '')
        .replace(/<img src="https:[^"]*"/, '');
      expect(strange).not.toMatch(/<script|<img|\son\w+=|javascript:|<iframe/i);
      expect(text).toMatch(/<meta name="robots" content="noindex">/);
    }
  });

  it('let the reader of the document run its own script, and no other', async () => {
    const { headers, text } = await instance.api.call('GET', '/docs', { token: null });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy.replace("style-src 'unsafe-inline'", '')).not.toMatch(/unsafe|\*|blob:/);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).toMatch(/<script id="api-reference" [^>]*><\/script>/);
    expect(text).toMatch(/<script src="docs\/scripts\/reader-[0-9a-f]{16}\.js"><\/script>/);
    expect(text).not.toMatch(/\son\w+=|javascript:/i);
  });

  it('hash the one style that they hold', async () => {
    const { headers, text } = await instance.api.call('GET', `/connect/${await open()}`, { token: null });
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    expect(headers.get('content-security-policy')).toContain(`'sha256-${Buffer.from(digest).toString('base64')}'`);
    expect(text.match(/<style/g)).toHaveLength(1);
    expect(text).not.toMatch(/\sstyle=/);
  });

  it('stand behind links of 192 random bits, the code in them apart from the link', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => open('ada')));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{48}$/);
    const bits = ids.flatMap((id) => [...Buffer.from(id, 'hex')]);
    // 480 random bytes: nearly every value turns up; a counter or a clock in them would not spread like that.
    expect(new Set(bits).size).toBeGreaterThan(150);
    const [first = '', second = ''] = ids;
    const codes = await Promise.all(
      [first, second].map(async (id) => {
        const { text } = await instance.api.call('GET', `/connect/${id}`, { token: null });
        return /credence-[a-z0-9]{10}/.exec(text)?.[0] ?? '';
      }),
    );
    expect(codes[0]).toMatch(/^credence-/);
    expect(codes[0]).not.toBe(codes[1]);
    expect(first).not.toContain((codes[0] ?? '').slice(9));
    for (const near of [first.slice(0, -1), `${first.slice(0, -1)}${first.endsWith('0') ? '1' : '0'}`, `${first}0`]) {
      expect((await instance.api.call('GET', `/connect/${near}`, { token: null })).status).toBe(404);
    }
  });

  it('count every look, so that a form of another site spends checks of a link it cannot know at most', async () => {
    const id = await open('nobody.there');
    const statuses: number[] = [];
    for (let check = 0; check < 12; check += 1) statuses.push((await form(id, '')).status);
    expect(statuses.at(-1)).toBe(410);
    expect((await instance.api.call('GET', `/connect/${id}`, { token: null })).status).toBe(410);
  });
});
