/** Lists without pages: sent while they are read, on every mount. */
import { describe, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { DomainError } from '../../core/errors.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { linkInput, T0 } from '../contract/storage/samples.ts';
import { closingAfterEach } from '../support/closing.ts';
import { MOUNT_KINDS, startHost } from '../support/hosts.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';

const TOKEN = 'an-admin-token-of-the-streaming-test';

const cleanups = closingAfterEach();

describe.each(MOUNT_KINDS)('the list of creators on %s', (kind) => {
  /** A host with creators of these handles. Once told so, the storage fails after so many pieces of the list. */
  async function start(handles: readonly string[]) {
    const stored = createSqliteStorage({ path: ':memory:' });
    const failing: { after?: number } = {};
    const listPage: typeof stored.creators.listPage = async (request) => {
      const isFailing = request.after === undefined ? failing.after === 0 : failing.after === 1;
      if (isFailing) throw new DomainError('SERVICE_UNAVAILABLE', 'The storage went away.');
      return stored.creators.listPage(request);
    };
    const storage = { ...stored, creators: { ...stored.creators, listPage } };
    const logger = createRecordingLogger();
    const config = { storage, adminToken: TOKEN, secrets: { key: new Uint8Array(32) } };
    const credence = createCredence(config, { logger });
    cleanups.push(() => credence.stop());
    await credence.start();
    const host = await startHost(kind, credence);
    cleanups.push(() => host.close());
    await Promise.all(handles.map((handle) => storage.creators.link(linkInput({ handle }))));
    const get = (method = 'GET') =>
      fetch(`${host.baseUrl}/admin/creators`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    return { credence, get, failing, logger };
  }

  it('has every row, over HTTP and in process, and no length', async () => {
    const handles = Array.from({ length: 620 }, (_, n) => `handle-${n}`);
    const { get, credence } = await start(handles);
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

  it('is an error if it cannot be read, and is cut off if the rest cannot', async () => {
    const { get, failing, logger } = await start(Array.from({ length: 620 }, (_, n) => `handle-${n}`));
    failing.after = 0;
    const refused = await get();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    failing.after = 1;
    const cut = await get();
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
    expect(logger.lines.map(({ message }) => message)).toContain('the answer was cut off');
  });
});
