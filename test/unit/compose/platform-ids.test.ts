/** The ids of the platforms' endpoints change every few weeks: an operator sets new ones, and requests carry them. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeCursor } from '../../../adapters/instagram/cursor.ts';
import { addressOf } from '../../../adapters/instagram/post-address.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';
import { parsePostUrl } from '../../support/platforms.ts';

let server: Server;
let baseUrl: string;
/** The ids in the queries and forms of requests. */
let ids: Set<string>;

beforeEach(async () => {
  ids = new Set();
  server = createServer(async (request, response) => {
    const said = new URL(request.url ?? '', baseUrl).searchParams;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    for (const [name, value] of [...said, ...new URLSearchParams(body)]) {
      if (name === 'doc_id') ids.add(value);
    }
    // Pages lead to the login, queries are refused: every way is tried.
    response.writeHead(request.method === 'GET' ? 302 : 400, { location: '/accounts/login/' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('an operator sets the ids, and requests carry them', async () => {
  const { platformAdapters } = resolveConfig({
    platforms: {
      pacing: 'off',
      instagram: {
        baseUrl,
        docIds: { post: ['111111', '222222'], olderPost: '333333', comments: '444444' },
      },
    },
  });
  const context = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const instagram = platformAdapters[0]?.create(context) as Platform;
  const post = parsePostUrl('https://www.instagram.com/p/C123456789A/') as PostRef;
  const cursor = encodeCursor({ way: 'page', of: addressOf(post).pk, after: 'x' });
  const failed = await Promise.allSettled([instagram.getPost(post), instagram.getComments(post, cursor)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([...ids].sort()).toEqual(['111111', '222222', '333333', '444444']);
  await instagram.close();
});
