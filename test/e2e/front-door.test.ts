/** What a browser meets at the standalone host beside the API. */
import { credenceConsole } from '@credence/console';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../hosts/standalone/app.ts';
import { createCredence, silentLogger } from '../../plugins/compose/index.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the front door of the standalone host', () => {
  let app: FastifyInstance;
  const get = (url: string, headers: Readonly<Record<string, string>> = BROWSER) =>
    app.inject({ method: 'GET', url, headers: { ...headers } });

  beforeAll(async () => {
    const credence = createCredence(
      { storage: 'sqlite::memory:', plugins: [credenceConsole()] },
      { logger: silentLogger },
    );
    app = await createApp(credence);
  });
  afterAll(() => app.close());

  it('shows where to go', async () => {
    const { statusCode, headers, body } = await get('/');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const path of ['/console', '/docs', '/healthz', '/readyz']) {
      expect(body).toContain(`href=".${path}"`);
      expect((await get(path)).statusCode, path).not.toBe(404);
    }
  });

  it.each(['/console/', '/docs/'])('sends %s to the page without the slash', async (path) => {
    const { statusCode, headers } = await get(path);
    expect(statusCode).toBe(308);
    expect(new URL(String(headers.location), `http://a.test${path}`).pathname).toBe(path.slice(0, -1));
  });

  it('has an icon', async () => {
    expect((await get('/favicon.ico', {})).headers['content-type']).toBe('image/svg+xml');
  });

  it('says it in HTML that there is no such page, to people only', async () => {
    const page = await get('/nowhere');
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).toContain('There is no such page');
    const clients: Record<string, string>[] = [
      {},
      { accept: 'application/json' },
      { ...BROWSER, authorization: 'Bearer x' },
    ];
    for (const headers of clients) {
      const refused = await get('/nowhere', headers);
      expect([refused.statusCode, refused.json().error.code]).toEqual([404, 'NOT_FOUND']);
    }
    const wrong = await app.inject({ method: 'POST', url: '/nowhere', headers: BROWSER });
    expect(wrong.json().error.code).toBe('NOT_FOUND');
  });
});
