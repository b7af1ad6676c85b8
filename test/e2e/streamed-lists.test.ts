/** Lists without pages: sent while they are read, on every mount. */
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { CreatorListRow } from '../../core/engagement/creators/creator.ts';
import { DomainError } from '../../core/errors.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { linkInput, T0 } from '../contract/storage/samples.ts';
import { MOUNT_KINDS, type MountKind, startHost } from '../support/hosts.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';

const TOKEN = 'an-admin-token-of-the-streaming-test';
const ROW: CreatorListRow = {
  creator: {
    id: 1,
    externalId: 'e',
    email: 'e@creators.invalid',
    displayName: 'x'.repeat(300),
    avatarUrl: null,
    createdAt: T0,
  },
  account: {
    id: 1,
    creatorId: 1,
    platform: 'tiktok',
    platformUsername: 'ada',
    profileData: { followers: 3 },
    ownershipProven: false,
    platformAccountId: null,
    rememberedAccountId: null,
    connectedAt: T0,
    disconnectedAt: null,
  },
  totalAttempts: 1,
  totalVerified: 1,
  totalRewarded: 0,
  totalPoints: 0,
};
const PIECE = Array.from({ length: 200 }, () => ROW);

describe.each(MOUNT_KINDS)('the list of creators on %s', (kind: MountKind) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function start(listRows?: Storage['creators']['listRows']) {
    const stored = createSqliteStorage({ path: ':memory:' });
    const storage = listRows === undefined ? stored : { ...stored, creators: { ...stored.creators, listRows } };
    const recording = createRecordingLogger();
    const config = { storage, adminToken: TOKEN, secrets: { key: new Uint8Array(32) } };
    const credence = createCredence(config, { logger: recording });
    cleanups.push(() => credence.stop());
    await credence.start();
    const host = await startHost(kind, credence);
    cleanups.push(() => host.close());
    const url = `${host.baseUrl}/admin/creators`;
    const get = (method = 'GET') => fetch(url, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    return { credence, storage, get, url, recording };
  }

  it('has every row, over HTTP and in process, and no length', async () => {
    const { storage, get, credence } = await start();
    const handles = Array.from({ length: 620 }, (_, n) => `handle-${n}`);
    await Promise.all(handles.map((handle) => storage.creators.link(linkInput({ handle }))));
    const response = await get();
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { data } = (await response.json()) as { data: { platformUsername: string; connectedAt: string }[] };
    expect(new Set(data.map((row) => row.platformUsername))).toEqual(new Set(handles));
    const listed = await credence.creators.list();
    expect(JSON.parse(JSON.stringify(listed))).toEqual(data);
    expect(listed[0]?.connectedAt).toEqual(T0);
    expect(await (await get('HEAD')).text()).toBe('');
  });

  it('reads no more than the client takes, and stops when the client goes', async () => {
    let read = 0;
    const stopped = Promise.withResolvers<void>();
    const { url } = await start(async function* () {
      try {
        for (;;) {
          read += 1;
          yield PIECE;
        }
      } finally {
        stopped.resolve();
      }
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, { headers: { authorization: `Bearer ${TOKEN}` } }, resolve);
      sent.on('error', reject);
      sent.end();
    });
    response.on('error', () => undefined);
    // Nobody reads: what the sockets hold is all there is, and then nothing more is read.
    for (let before = -1; before !== read; ) {
      before = read;
      await sleep(200);
    }
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2_000);
    response.destroy();
    await stopped.promise;
  });

  it('is an error if it cannot be read, and is cut off if the rest cannot', async () => {
    let good = 0;
    const { get, recording } = await start(async function* () {
      for (let n = 0; n < good; n += 1) yield PIECE;
      throw new DomainError('SERVICE_UNAVAILABLE', 'The storage went away.');
    });
    const refused = await get();
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
    ]);
    good = 3;
    const cut = await get();
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
    expect(recording.lines.map(({ message }) => message)).toContain('the answer was cut off');
  });
});
