import { describe, expect, it } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { createCredence } from '../../../plugins/compose/index.ts';
import { docsPage } from '../../../plugins/http/pages/docs/docs-page.ts';
import type { DocsDocument } from '../../../plugins/http/pages/docs/document.ts';
import type { Route, RouteInput } from '../../../plugins/http/route.ts';

const { routes } = createCredence({
  services: ['engagement', 'web-prover', 'zk-prover'],
  secrets: { key: new Uint8Array(32) },
  notary: { key: { secret: new Uint8Array(32).fill(7) } },
  zk: { prover: 'fake' },
});
const row = routes.find(({ id }) => id === 'docs') as Route;
const reply = await row.handle({ query: { plain: '' } } as unknown as RouteInput<never, never, never>);
const markup = String(reply.body);

describe('the documentation page', () => {
  it('loads nothing and runs nothing', () => {
    expect(reply.contentType).toBe('text/html; charset=utf-8');
    expect(markup).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle="|javascript:/i);
    expect(reply.headers?.['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  });

  it('has a section for every operation and event', () => {
    for (const { id, method, path } of routes) {
      const section = new RegExp(`<article id="${id}">[\\s\\S]*?</article>`).exec(markup)?.[0] ?? '';
      expect(section, id).toContain(`>${method}</span>`);
      expect(section.replaceAll('<wbr>', ''), id).toContain(`<code>${path}</code>`);
    }
    for (const event of ['creator.verified', 'reward.issued', 'verification.failed', 'webhook.test']) {
      expect(markup).toContain(`<code>${event}</code>`);
    }
  });

  it('has no link that leads nowhere, and no name twice', () => {
    const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of markup.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it('shows fields, values, failures and examples', () => {
    const section = /<article id="progressAttempt">[\s\S]*?<\/article>/.exec(markup)?.[0] ?? '';
    expect(section).toContain('&quot;target_opened&quot; | &quot;claim_completion&quot;');
    expect(section).toContain('<code>data.state</code>');
    expect(section).toContain('<code>INVALID_TRANSITION</code>');
    expect(section).toContain('&quot;state&quot;: &quot;verification_pending&quot;');
    expect(markup).not.toMatch(/undefined|\[object Object\]/);
  });

  it('gives a recipe for signatures that works', async () => {
    const recipe = /<pre tabindex="0"><code>(import \{ createHmac[\s\S]*?)<\/code><\/pre>/.exec(markup)?.[1] ?? '';
    const source = recipe
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<');
    const module = await import(`data:text/javascript,${encodeURIComponent(source.replaceAll('&amp;', '&'))}`);
    const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
    const body = Buffer.from('{"event":"reward.issued"}');
    const signature = serviceSignature(secret, body);
    expect(module.isFromCredence(body, signature, secret)).toBe(true);
    expect(module.isFromCredence(Buffer.from('{}'), signature, secret)).toBe(false);
    expect(module.isFromCredence(body, undefined, secret)).toBe(false);
  });
});

describe('docsPage', () => {
  it('escapes what the document says, and survives schemas that refer to themselves', async () => {
    const document: DocsDocument = {
      info: { title: '<Credence>', version: '1' },
      tags: [{ name: 'A & B' }],
      paths: {
        '/x/{id}': {
          get: {
            operationId: 'x',
            summary: '<script>',
            tags: ['A & B'],
            responses: {
              200: {
                description: 'ok',
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: { Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } } },
      },
    };
    const shown = String((await docsPage(document)).body);
    expect(shown).toContain('&lt;script&gt;');
    expect(shown).not.toContain('<script>');
    expect(shown).toContain('id="tag-a-b"');
    expect(shown).toContain('<code>child.child</code>');
  });
});
