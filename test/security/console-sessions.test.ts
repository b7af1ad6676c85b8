/** The cookie of the console: what is in it, for which requests it counts, and when it ends. */
import { credenceConsole, withConsole } from '@credence/console';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../support/client.ts';
import { MOUNT_KINDS, startHost } from '../support/hosts.ts';
import { instanceOfBlock, startInstance } from '../support/instance.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { formsOf } from './secret-forms.ts';
import { everyService, pathOf } from './support.ts';

const HOUR_MS = 3_600_000;
const OF_CONSOLE = { 'x-credence-console': '1' };

describe.each(MOUNT_KINDS)('a session of the console on %s', (host) => {
  let brandToken: string;
  let now = Date.now();
  const logger = createRecordingLogger();
  const config = { ...everyService(), clock: { now: () => new Date(now) } };
  const instance = instanceOfBlock({ host, config, options: { logger } });

  beforeAll(async () => {
    await instance.credence.brands.create({ name: 'Acme', slug: 'acme' });
    const made = await instance.credence.tokens.create({ name: 'Acme', role: 'brand', brandId: 1 });
    brandToken = made.token;
  });

  async function begin(token: string | null, headers = {}): Promise<string> {
    const { status, headers: answered } = await instance.api.call('POST', '/console-session', { token, headers });
    expect(status).toBe(204);
    return answered.get('set-cookie') ?? '';
  }

  const cookieOf = (setCookie: string) => setCookie.split(';', 1)[0] as string;
  const ask = (cookie: string, headers: object = OF_CONSOLE, method = 'GET', path = '/auth/caller') =>
    instance.api.call(method, path, { token: null, headers: { cookie, ...headers } });
  const statusOf = async (...of: Parameters<typeof ask>) => (await ask(...of)).status;

  it('is a cookie that no script reads, no other site sends and nobody can open', async () => {
    const given = await begin(instance.adminToken);
    expect(given).toMatch(/^credence-session=x1\.[\w-]{90,}; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    for (const form of formsOf(instance.adminToken)) expect(given).not.toContain(form);
    expect(await begin(instance.adminToken)).not.toBe(given);
    expect(await begin(instance.adminToken, { origin: 'https://ops.example' })).toMatch(/; Secure$/);
    const ended = await instance.api.call('DELETE', '/console-session', { token: null });
    expect(ended.headers.get('set-cookie')).toBe('credence-session=; HttpOnly; SameSite=Strict; Max-Age=0');
  });

  it('counts with the header of the console alone, and from its own origin', async () => {
    const cookie = cookieOf(await begin(instance.adminToken));
    expect((await ask(`a=b; ${cookie}; c=d`)).json.data).toMatchObject({ role: 'admin', tokenId: null });
    expect(await statusOf(cookie, { ...OF_CONSOLE, 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const site of ['same-site', 'cross-site', 'none', '', 'same-origin, cross-site']) {
      expect(await statusOf(cookie, { ...OF_CONSOLE, 'sec-fetch-site': site }), site).toBe(401);
    }
    // As a form or a picture of another site sends it.
    const { routes } = instance.credence;
    const guarded = routes.filter(({ access }) => !['public', 'callback', 'anyone'].includes(access));
    expect(guarded.length).toBeGreaterThan(50);
    for (const route of guarded) expect(await statusOf(cookie, {}, route.method, pathOf(route)), route.id).toBe(401);
    expect(await instance.credence.brands.list()).toHaveLength(1);
  });

  it('may do what its token may, and no more', async () => {
    const cookie = cookieOf(await begin(brandToken));
    expect((await ask(cookie)).json.data).toMatchObject({ role: 'brand', brandId: 1 });
    expect(await statusOf(cookie, OF_CONSOLE, 'GET', '/admin/tokens')).toBe(403);
    expect(await statusOf(cookie, OF_CONSOLE, 'GET', '/admin/brands/2/webhooks')).toBe(404);
    // A token that is sent decides, however little it is good for.
    const refused = await instance.api.call('GET', '/auth/caller', {
      token: `crd_${'A'.repeat(43)}`,
      headers: { cookie, ...OF_CONSOLE },
    });
    expect(refused.status).toBe(401);
  });

  it('is refused if it was made up, changed, sealed for something else, or by another host', async () => {
    const cookie = cookieOf(await begin(instance.adminToken));
    const other = await startInstance({ host, config: { plugins: [credenceConsole()] } });
    const foreign = await other.api.call('POST', '/console-session');
    await other.close();
    for (const made of [
      'credence-session=',
      `credence-session=${instance.adminToken}`,
      `credence-session=${now + HOUR_MS} ${instance.adminToken}`,
      cookieOf(foreign.headers.get('set-cookie') ?? ''),
      `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`,
      cookie.slice(0, -4),
      cookie.replace('credence-session', 'credence-sessions'),
    ]) {
      expect(await statusOf(made), made).toBe(401);
    }
  });

  it('is refused beside another one, which a subdomain may have put in front, until one of them is deleted', async () => {
    const [cookie, other] = [cookieOf(await begin(instance.adminToken)), cookieOf(await begin(brandToken))];
    const { status, json } = await ask(`${other}; ${cookie}`);
    expect([status, json.error?.message]).toEqual([401, expect.stringContaining('two different cookies')]);
    expect(await statusOf(`${cookie}; ${cookie}`)).toBe(200);
    expect(await statusOf(`${other}; ${cookie}`, OF_CONSOLE, 'DELETE', '/console-session')).toBe(204);
  });

  it('counts beside cookies of other hosts, old ones and ones that were made up', async () => {
    const old = cookieOf(await begin(brandToken));
    now += 13 * HOUR_MS;
    await using other = await startInstance({ host, config: { plugins: [credenceConsole()] } });
    const foreign = await other.api.call('POST', '/console-session');
    const cookie = cookieOf(await begin(instance.adminToken));
    for (const dead of [old, cookieOf(foreign.headers.get('set-cookie') ?? ''), 'credence-session=planted']) {
      for (const pair of [`${dead}; ${cookie}`, `${cookie}; ${dead}`]) {
        expect((await ask(pair)).json.data, pair).toMatchObject({ role: 'admin' });
      }
      expect((await ask(`${dead}; credence-session=x`)).json.error?.message).not.toContain('two different cookies');
    }
    expect(await statusOf(`${cookie}; ${cookieOf(await begin(instance.adminToken))}`)).toBe(200);
  });

  it('ends after twelve hours, and cannot renew itself', async () => {
    const cookie = cookieOf(await begin(brandToken));
    now += 11 * HOUR_MS;
    expect(await statusOf(cookie)).toBe(200);
    expect(await statusOf(cookie, OF_CONSOLE, 'POST', '/console-session')).toBe(401);
    now += HOUR_MS;
    expect(await statusOf(cookie)).toBe(401);
  });

  it('ends at once when its token is revoked', async () => {
    const { id, token } = await instance.credence.tokens.create({ name: 'Night shift', role: 'admin' });
    const cookie = cookieOf(await begin(token));
    expect(await statusOf(cookie)).toBe(200);
    await instance.credence.tokens.revoke({ tokenId: id });
    expect(await statusOf(cookie)).toBe(401);
  });

  it('is in no log, and not in the audit log', async () => {
    const cookie = cookieOf(await begin(instance.adminToken));
    const body = { name: 'Other', slug: 'other' };
    const { status } = await instance.api.call('POST', '/admin/brands', {
      token: null,
      body,
      headers: { cookie, ...OF_CONSOLE },
    });
    expect(status).toBe(201);
    const audit = await instance.api.call('GET', '/admin/audit-log');
    expect(audit.text).toContain('createBrand');
    const kept = logger.text() + audit.text;
    expect(kept).toContain('beginConsoleSession');
    for (const secret of [cookie.split('=')[1] as string, instance.adminToken]) {
      for (const form of formsOf(secret)) expect(kept).not.toContain(form);
    }
  });
});

describe('without sessions', () => {
  it('there is neither the row nor a cookie that counts', async () => {
    const config = { ...everyService(), plugins: [credenceConsole({ session: 'memory' })] };
    await using instance = await startInstance({ config });
    expect((await instance.api.call('POST', '/console-session')).status).toBe(404);
    expect((await instance.api.call('GET', '/console', { token: null })).text).toContain('data-session="memory"');
    expect(() => credenceConsole({ session: 'forever' } as never)).toThrow('session');
  });

  it('other mounts of an instance take no cookie of its console', async () => {
    await using instance = await startInstance({ config: { publicUrl: 'https://api.example.com' } });
    await using internal = await startHost('express', withConsole(instance.credence));
    const { call } = createApiClient(internal.baseUrl, instance.adminToken);
    const begun = await call('POST', '/console-session');
    const setCookie = begun.headers.get('set-cookie') ?? '';
    expect(setCookie).toMatch(/; Secure$/);
    const sent = { token: null, headers: { cookie: setCookie.split(';', 1)[0] as string, ...OF_CONSOLE } };
    expect((await call('GET', '/auth/caller', sent)).status).toBe(200);
    expect((await instance.api.call('GET', '/auth/caller', sent)).status).toBe(401);
    expect((await instance.api.call('POST', '/console-session')).status).toBe(404);
  });
});
