/** `npx credence` against a real instance: what it prints, what it stores, and its exit codes. */
import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { initialise } from '../../hosts/cli/init.ts';
import { SIMULATED_APP } from '../../hosts/platform-simulator/official/apps.ts';
import { hostConfig, readEnvironment } from '../../hosts/standalone/index.ts';
import { verifyWebhook } from '../../plugins/client/webhooks/index.ts';
import { createCredence, silentLogger, TOKENS } from '../../plugins/compose/index.ts';
import { partOf } from '../../plugins/compose/token.ts';
import { setUpCli, startAnswering } from '../support/cli.ts';
import { createFakeOfficial, REDIRECT_URI, withOfficial } from '../support/fake-official.ts';
import { INSTAGRAM_SESSION, startInstance } from '../support/instance.ts';
import { createTestStorage, onMongo } from '../support/storage.ts';

const instance = await startInstance({ options: { modules: [withOfficial(createFakeOfficial())] } });
afterAll(() => instance.close());

const { path, run } = setUpCli(() => ({ CREDENCE_URL: instance.baseUrl, CREDENCE_TOKEN: instance.adminToken }));

/** What a command tells as JSON. */
const told = async (...command: string[]) => JSON.parse((await run([...command, '--json'])).out);

describe('calls of the API', () => {
  it('creates and lists, as a table, as JSON and as CSV', async () => {
    const { id } = (await told('brands', 'create', '--name', 'Acme, "Inc"', '--slug', 'cli-acme')).data;
    const table = (await run(['brand', 'list'])).out.split('\n');
    expect(table[0]).toMatch(/^id +name +slug/);
    expect(table.find((line) => line.includes('cli-acme'))).toMatch(new RegExp(`^${id} +Acme, "Inc" +cli-acme`));
    const csv = (await run(['brands', 'list', '--csv'])).out.split('\r\n');
    expect(csv[0]).toBe('id,name,slug,logoUrl,createdAt');
    expect(csv.find((line) => line.startsWith(`${id},`))).toContain('"Acme, ""Inc""",cli-acme');
  });

  it('takes the members of an object as options, over the JSON of --input', async () => {
    const { data: brand } = await told('brands', 'create', '--name', 'B', '--slug', 'cli-b');
    const post = instance.world.addPost({ platform: 'tiktok', owner: 'maker', comments: 1 });
    const input = JSON.stringify({ title: 'From a file', pointsReward: 5, challenge: { action: 'comment' } });
    await writeFile(path('campaign.json'), input);
    const created = await run([
      ...['campaigns', 'create', '--input', `@${path('campaign.json')}`],
      ...['--brand-id', String(brand.id), '--title', 'From an option', '--challenge.target-url', post.url, '--json'],
    ]);
    expect(created).toMatchObject({ code: 0, err: '' });
    const { campaign } = JSON.parse(created.out).data;
    expect(campaign).toMatchObject({ title: 'From an option', pointsReward: 5 });
    expect((await run(['campaign', 'results', String(campaign.id)])).out).toBe('none');
    expect((await run(['campaign', 'summarise', String(campaign.id)])).code).toBe(0);
  });

  it('asks before it erases a creator, and only then', async () => {
    const body = ['--external-id', 'cli-gone', '--platform', 'instagram', '--handle', 'cli_gone'];
    const { user } = (await told('creators', 'register', ...body)).data;
    const erase = ['creators', 'erase', String(user.id)];
    expect((await told('creators', 'export', String(user.id))).data.creator.externalId).toBe('cli-gone');
    expect(await run(erase)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await run(erase, { answer: 'n' })).toMatchObject({ code: 2, err: 'Nothing was changed.' });
    expect((await told('creators', 'export', String(user.id))).data.creator.externalId).toBe('cli-gone');
    expect(await run(erase, { answer: 'yes' })).toMatchObject({ code: 0, out: expect.stringContaining('erased-') });
    expect(await run([...erase, '--yes'])).toMatchObject({ code: 0 });
    expect((await run(['creators', 'erase', '999999', '-y'])).err).toContain('NOT_FOUND');
  });

  it('reads every page by cursors, since page numbers move, and keeps the warning', async () => {
    await using server = await startAnswering((request, response) => {
      const cursor = new URL(request.url ?? '', instance.baseUrl).searchParams.get('cursor');
      const [id, nextCursor] = cursor === '' ? [3, 'next'] : [2, null];
      const pagination = { page: 1, limit: 100, total: 2, nextCursor };
      response.end(JSON.stringify({ data: [{ id }], pagination, warning: 'Some are missing.' }));
    });
    const list = await run(['challenges', 'likers', '1', '--all', '--url', server.url]);
    expect(list).toEqual({ code: 0, out: 'id\n3\n2\nwarning: Some are missing.', err: '' });
  });

  it('tells why the instance refused, with the request id, and ends with 1', async () => {
    const refused = await run(['campaigns', 'get', '999999']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^NOT_FOUND: .+ \(request [\w-]+\)$/);
    const asJson = await run(['campaigns', 'get', '999999', '--json']);
    expect(JSON.parse(asJson.err)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await run(['brands', 'list'], { env: { CREDENCE_TOKEN: 'wrong' } })).err).toMatch(
      /^UNAUTHORIZED: [^\n]*\nGive a token that the instance knows: --token, or the variable CREDENCE_TOKEN\.$/,
    );
    const closed = 'http://127.0.0.1:2';
    const unreachable = await run(['brands', 'list', '--url', closed]);
    const message = `Cannot reach ${closed} (ECONNREFUSED). Is it running?`;
    expect(unreachable).toEqual({ code: 1, out: '', err: message });
    const toProgram = await run(['brands', 'list', '--url', closed, '--json']);
    expect(JSON.parse(toProgram.err)).toEqual({ code: null, message });
    expect(JSON.parse((await run(['--json'])).err)).toEqual({
      code: null,
      message: 'Name a command: see --help.',
    });
  });

  it.each([
    [['nothing'], /unknown command 'nothing'/],
    [['brands', 'nothing', '--help'], /unknown command 'nothing'/],
    [['brands', 'create', '--size', '3'], /unknown option '--size'/],
    [['campaigns', 'get'], /missing required argument 'id'/],
    [['campaigns', 'create', '--points-reward', 'many'], /Give a number/],
    [['campaigns', 'create', '--input', '{'], /--input is not JSON/],
    [['brands', 'list', '--url', 'localhost:3000'], /"localhost:3000" is not an http or https URL/],
    [['verify', 'nope.json'], /^There is no file nope\.json\.$/],
    [['verify', tmpdir()], /is a folder\. Give a file\.$/],
    [['prove', 'https://a.test', '--blind', '--roots', 'nope.pem'], /^There is no file nope\.pem\.$/],
    [['campaigns', 'get', 'first'], /'first' is invalid for argument 'id'\. Give a number\./],
    [['creators', 'is-handle-registered', '..'], /^`handle` must not be `\.\.`\.$/],
    [['creators', 'is-handle-registered', ''], /^`handle` is missing\.$/],
    [['brands', 'create', '--name', 'B'], /^Required, and not given: --slug\. See --help\.$/],
    [['campaigns', 'create', '--brand-id', '1'], /--title, --points-reward, --challenge\.target-url\./],
    [['prove', 'https://a.test', '--hide', 'email'], /names nothing to redact\. Write PLACE:NAME/],
  ])('ends with 2 when it is called as %j', async (command, message) => {
    const { code, err } = await run(command);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
    const asJson = await run([...command, '--json']);
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.err)).toEqual({ code: null, message: expect.stringMatching(message) });
  });
});

it('knows every command of the page about troubles', async () => {
  const page = await readFile(new URL('../../docs/recipes/troubleshooting.md', import.meta.url), 'utf8');
  const commands = Array.from(page.matchAll(/`npx credence ([^`]+)`/g), ([, text = '']) => text);
  expect(commands.length).toBeGreaterThan(6);
  for (const text of commands)
    expect(await run([...text.split(' '), '--help']), text).toMatchObject({ code: 0, err: '' });
});

describe('credence webhooks listen', () => {
  /** Lets the command run until `end` is called. */
  async function listening(name: string, ...options: string[]) {
    const { data: brand } = await told('brands', 'create', '--name', name, '--slug', `cli-${name}`);
    const ending = new AbortController();
    const out: string[] = [];
    const command = run(['webhooks', 'listen', String(brand.id), ...options], { signal: ending.signal, out });
    await vi.waitFor(() => expect(out[0]).toMatch(/^Webhook \d+ sends to /), { timeout: 10_000 });
    const end = () => {
      ending.abort();
      return command;
    };
    return { brandId: String(brand.id), id: /^Webhook (\d+)/.exec(out[0] ?? '')?.[1] ?? '', out, end };
  }

  it('sends samples of events on to a receiver, which knows the secret, and answers as it does', async () => {
    const { receiver } = instance;
    const before = receiver.received.length;
    const { brandId, id, out, end } = await listening('forward', '--forward-to', receiver.url);
    const trigger = ['webhooks', 'trigger', brandId, id, '--event', 'reward.issued'];
    expect(await run(trigger)).toMatchObject({ code: 0, out: expect.stringMatching(/^messageId +msg_test_/m) });
    await receiver.waitFor(before + 1);
    await vi.waitFor(() => expect(out[1]).toMatch(/^reward\.issued {2}\{.*"points":/), { timeout: 10_000 });
    const { body, headers } = receiver.received[before] ?? expect.fail('Nothing was received.');
    await vi.waitFor(async () => {
      const { data } = await told('webhooks', 'list-deliveries', brandId, id);
      expect(data).toMatchObject([{ status: 'succeeded', tries: [{ status: 204 }] }]);
    });
    const { err } = await end();
    const secret = /^Its secret, .*: (whsec_\S+)$/m.exec(err)?.[1] ?? '';
    expect(verifyWebhook(body, headers, secret)).toMatchObject({ event: 'reward.issued', data: { points: 50 } });
  });

  it('registers itself, prints verified events, and removes itself at the end', async () => {
    const { brandId, id, out, end } = await listening('listen');
    expect((await run(['webhooks', 'test', brandId, id])).code).toBe(0);
    await vi.waitFor(() => expect(out[1]).toMatch(/^webhook\.test {2}\{/), { timeout: 10_000 });
    expect((await end()).code).toBe(0);
    expect((await run(['webhooks', 'list', brandId])).out).toBe('none');
  });
});

it('credence brand-connections connect leads to the platform, and takes the address that it leads back to', async () => {
  const { data: brand } = await told('brands', 'create', '--name', 'C', '--slug', 'cli-connect');
  const command = ['brand-connections', 'connect', String(brand.id), '--platform', 'tiktok'];
  const connect = (answer?: (told: string) => string) =>
    run([...command, '--redirect-uri', REDIRECT_URI], answer === undefined ? {} : { answer });
  const landing = (query: string) => (told: string) => {
    const state = /[?&]state=([^&\s]+)/.exec(told)?.[1];
    return ` ${REDIRECT_URI}?${query}&state=${state}\n`;
  };
  expect(await connect()).toMatchObject({ code: 2, err: expect.stringMatching(/run it in a terminal/) });
  for (const [answer, message] of [
    [landing('error=access_denied'), /the owner did not agree/],
    [() => 'nonsense', /has no code/],
    [() => `${REDIRECT_URI}?code=code-cli&state=another`, /another connection/],
  ] as const) {
    expect(await connect(answer)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  }
  const { code, out } = await connect(landing('code=code-cli'));
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^Connection \d+: handle-cli on tiktok\.$/) });
  const { data } = await told('brand-connections', 'list', String(brand.id));
  expect(data).toMatchObject([{ accountId: 'cli', status: 'active' }]);
  expect((await run(['brand-connections', 'delete', String(brand.id), String(data[0].id)])).code).toBe(0);
});

describe('credence creators import', () => {
  const header = 'External ID,platform,handle,displayName';
  const rows = Array.from({ length: 20 }, (_, at) => `import-${at},tiktok,@import.${at},"Doe, ""J"" ${at}"`);
  const registered = async () =>
    ((await told('creators', 'list')).data as { platformUsername: string }[])
      .map(({ platformUsername }) => platformUsername)
      .filter((handle) => handle.startsWith('import.'));

  it('registers once however often it is run, and puts what is refused into a file', async () => {
    const file = path('creators.csv');
    const bad = ['import-x,myspace,nobody,', ',tiktok,import.y,'];
    await writeFile(file, `\uFEFF${[header, ...rows, '', ...bad].join('\r\n')}\r\n`);
    const stopped = await run(['creators', 'import', file], { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ code: 1, out: expect.stringContaining('Run the command again') });
    const imported = await run(['creators', 'import', file, '--json']);
    expect(JSON.parse(imported.out)).toMatchObject({ total: 22, done: 22, failed: 2, isCutShort: false });
    expect(imported.code).toBe(1);
    expect((await registered()).length).toBe(20);
    const refused = (await readFile(`${file}.errors.csv`, 'utf8')).split('\r\n');
    expect(refused).toEqual([
      'line,code,reason,externalId,platform,handle,email,displayName',
      expect.stringMatching(/^23,INVALID_REQUEST,.+,import-x,myspace,nobody,,$/),
      '24,INVALID_ROW,externalId missing,,tiktok,import.y,,',
      '',
    ]);
    await writeFile(file, [header, ...rows].join('\n'));
    for (const _ of [1, 2]) expect((await run(['creators', 'import', file])).out).toBe('20 rows are registered.');
    expect((await registered()).length).toBe(20);
  });

  it('imports a file of refused rows that was put right, and what a table makes text of as it was', async () => {
    const file = path('refused.csv');
    const quoted = ['＝smile', "'=lit", 'nice;=x', "l;'-y"];
    const others = quoted.map((name, at) => `quoted-${at},myspace,quoted.${at},${name}`);
    await writeFile(file, [header, '-17,myspace,@ada.17,+Ada', ...others].join('\n'));
    expect((await run(['creators', 'import', file])).code).toBe(1);
    const refused = await readFile(`${file}.errors.csv`, 'utf8');
    expect(refused).toContain("'@ada.17");
    await writeFile(file, refused.replaceAll('myspace', 'tiktok'));
    expect((await run(['creators', 'import', file])).out).toBe('5 rows are registered.');
    const listed = (await told('creators', 'list')).data;
    expect(listed).toContainEqual(
      expect.objectContaining({ externalId: '-17', platformUsername: 'ada.17', displayName: '+Ada' }),
    );
    for (const displayName of quoted) expect(listed).toContainEqual(expect.objectContaining({ displayName }));
  });

  it('waits for as long as an instance asks, also if that is longer than timers reach', async () => {
    let asked = 0;
    await using busy = await startAnswering((_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '2592000' });
      response.end(JSON.stringify({ error: { code: 'QUOTA_EXCEEDED', message: 'used up' } }));
    });
    const file = path('creators.csv');
    await writeFile(file, `${header}\n${rows[0]}\n`);
    const stopping = new AbortController();
    const importing = run(['creators', 'import', file], { env: { CREDENCE_URL: busy.url }, signal: stopping.signal });
    await expect.poll(() => asked).toBe(1);
    // A timer that overflows goes off after a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 200));
    stopping.abort();
    expect(await importing).toMatchObject({ code: 1, out: expect.stringContaining('Run the command again') });
    expect(asked).toBe(1);
  });

  it.each([
    ['', 2, /creators\.csv: The file is empty\. Its first line must name the columns externalId, platform, handle\.$/],
    [`${header}\n`, 0, /has no rows: nobody is registered\.$/],
  ])('says that a file holds nobody: %j', async (text, code, message) => {
    await writeFile(path('creators.csv'), text);
    const told = await run(['creators', 'import', path('creators.csv')]);
    expect([told.code, told.out + told.err]).toEqual([code, expect.stringMatching(message)]);
  });

  it.each([
    ['name,handle\na,b', 'The first line lacks the columns externalId, platform.'],
    [`${header},age\n1,2,3,4,5`, 'Columns that are unknown or there twice: age.'],
    [`${header}\na,tiktok,"b`, 'Line 2 has a quote that is never closed.'],
    [`${header}\n1,2,3,4,5`, 'Line 2 has more cells than the first line.'],
  ])('registers nothing of %j', async (text, message) => {
    await writeFile(path('wrong.csv'), text);
    expect(await run(['creators', 'import', path('wrong.csv')])).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});

describe('credence copy', async () => {
  await onMongo(() => {
    it('moves a store to MongoDB and on to SQLite, where a host continues what was pending', async () => {
      const [mongo, file] = [await createTestStorage('mongodb'), await createTestStorage('sqlite')];
      const secrets = { key: randomBytes(32) };
      const idle = await startInstance({
        storageUrl: `sqlite:${path('source.db')}`,
        config: { secrets, jobs: { run: false } },
      });
      const post = idle.world.addPost({ platform: 'tiktok', owner: 'maker', comments: 1 });
      const { credence } = idle;
      const brand = await credence.brands.create({ name: 'C', slug: 'c' });
      const campaign = { brandId: brand.id, title: 'C', pointsReward: 5, startsAt: new Date() };
      const { challenge } = await credence.campaigns.create({ ...campaign, challenge: { targetUrl: post.url } });
      await credence.creators.register({ externalId: 'copied', platform: 'tiktok', handle: 'copied' });
      const url = instance.receiver.url;
      await credence.webhooks.create({ brandId: brand.id, url, events: ['creator.verified', 'reward.issued'] });
      const { id: attemptId } = await credence.attempts.create({ challengeId: challenge.id, externalId: 'copied' });
      await credence.attempts.forceVerify({ challengeId: challenge.id, attemptId });
      await idle.close();
      const before = instance.receiver.received.length;
      const first = await run(['copy', '--from', `sqlite:${path('source.db')}`, '--to', mongo.url, '--json']);
      const second = await run(['copy', '--from', mongo.url, '--to', file.url, '--json']);
      expect([first.err, second.err]).toEqual(['', '']);
      expect(JSON.parse(second.out)).toEqual(JSON.parse(first.out));
      const again = await run(['copy', '--from', mongo.url, '--to', file.url]);
      expect(again).toMatchObject({ code: 0, out: expect.stringContaining('The copy is complete') });
      const working = await startInstance({ storageUrl: file.url, config: { secrets } });
      await instance.receiver.waitFor(before + 2);
      const events = instance.receiver.received.slice(before).map(({ body }) => JSON.parse(body).event);
      expect(events.sort()).toEqual(['creator.verified', 'reward.issued']);
      for (const each of [working, mongo, file]) await each.close();
    });
  });

  it.each([
    [['--from', 'sqlite:missing.db', '--to', 'sqlite:x.db'], /there is no file/],
    [['--from', 'mongodb://h/x', '--to', 'mongodb://h/x'], /^--from and --to are the same store/],
    [['--from', 'mysql://a', '--to', 'sqlite:x.db'], /A store must start with sqlite:, postgres/],
  ])('ends with 2 for %j', async (options, message) => {
    expect(await run(['copy', ...options])).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  });
});

it('credence migrate says what a storage lacks, prints it, and makes it', async () => {
  const storage = ['--storage', `sqlite:${path('migrated.db')}`];
  const missing = await run(['migrate', ...storage, '--check']);
  expect(missing).toMatchObject({ code: 1, out: expect.stringContaining('Run credence migrate') });
  expect(await run(['migrate', ...storage, '--dry-run'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^CREATE TABLE creators \(/),
  });
  expect((await run(['migrate', ...storage])).code).toBe(0);
  expect(await run(['migrate', ...storage, '--check'])).toMatchObject({ code: 0, out: 'Nothing is missing.' });
  expect(await run(['migrate', '--storage', 'mysql://a'])).toMatchObject({ code: 2 });
});

/** What the doctor found, by name. */
async function examined(env: Readonly<Record<string, string>>, ...options: string[]) {
  const { code, out } = await run(['doctor', ...options, '--json'], { env });
  const findings = JSON.parse(out) as { name: string; outcome: string; detail: string }[];
  return { code, out, found: Object.fromEntries(findings.map(({ name, ...finding }) => [name, finding])) };
}

describe('credence init and doctor', () => {
  it('writes what commands in the same folder read: the address of the host, and its token', async () => {
    const { adminToken } = await told('init');
    expect(await readFile(path('.env'), 'utf8')).toContain(`ADMIN_TOKEN=${adminToken}\n`);
    const asked: unknown[] = [];
    await using server = await startAnswering((request, response) => {
      asked.push(request.headers.authorization);
      response.end('{"data":[]}');
    });
    const { port } = new URL(server.url);
    await appendFile(path('.env'), `PORT=${port}\n`);
    const env = { CREDENCE_URL: '', CREDENCE_TOKEN: '' };
    expect(await run(['brands', 'list'], { env })).toMatchObject({ code: 0, out: 'none' });
    expect((await run(['brands', 'list', '--url', server.url], { env })).code).toBe(0);
    // Another instance does not get it.
    await run(['brands', 'list', '--url', server.url.replace('127.0.0.1', '127.0.0.2')], { env });
    await run(['brands', 'list', '--url', `${server.url}/below`], { env });
    expect(asked).toEqual([`Bearer ${adminToken}`, `Bearer ${adminToken}`, undefined]);
  });

  it('refuses a .env that cannot be read, unless the host and its token are given', async () => {
    await mkdir(path('.env'));
    expect((await run(['brands', 'list'])).code).toBe(0);
    const err = expect.stringContaining('.env cannot be read (EISDIR). Make it a file');
    expect(await run(['brands', 'list'], { env: { CREDENCE_TOKEN: '' } })).toMatchObject({ code: 2, err });
  });

  it('writes settings once, for their owner only, and shows how to mount', async () => {
    await writeFile(path('package.json'), JSON.stringify({ dependencies: { express: '^5.0.0' } }));
    const first = await run(['init']);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('console:  http://localhost:3000/console\nAPI docs: http://localhost:3000/docs');
    expect(first.out).toMatch(/express application, as this one does: \S+\/examples\/express\/app\.ts$/);
    const written = await readFile(path('.env'), 'utf8');
    expect(written).toMatch(/^ADMIN_TOKEN=[\w-]{40,}$/m);
    expect(written).toMatch(/^#PORT=3000$/m);
    expect((await stat(path('.env'))).mode & 0o777).toBe(0o600);
    expect((await run(['init'])).code).toBe(2);
    expect(await readFile(path('.env'), 'utf8')).toBe(written);
  });

  it('says what to do about a file that cannot be written or read', async () => {
    const file = path('file');
    await writeFile(file, '');
    const advice = 'A part of its path is a file: choose another path.';
    await expect(initialise(file)).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path('file', '.env')} cannot be written (ENOTDIR). ${advice} The file is written to the folder in which the command runs.`,
    });
  });

  it('names the folder of the data if it cannot be made, and does not say that its disk is right', async () => {
    await writeFile(path('file'), '');
    for (const DATA_DIR of [path('file'), path('file', 'data')]) {
      const { code, found } = await examined({ DATA_DIR });
      expect(code).toBe(1);
      const detail = expect.stringMatching(/^DATA_DIR: .*choose another path\.$/);
      expect(found['storage and keys']).toMatchObject({ outcome: 'failed', detail });
      expect(found.disk).toEqual({
        outcome: 'skipped',
        detail: `there is no folder ${DATA_DIR}, which DATA_DIR names`,
      });
    }
  });

  it('finds what is wrong with a configuration, and ends with 1', async () => {
    const wrong = await run(['doctor'], { env: { PORT: 'many', STORAGE_URL: 'oracle:x' } });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toMatch(/FAILED +configuration[\s\S]*PORT: [\s\S]*STORAGE_URL: /);
    const CONFIG_FILE = path('credence.json');
    await writeFile(CONFIG_FILE, '{"jobs":{"run":"sometimes"}}');
    const { code, found } = await examined({ CONFIG_FILE });
    const detail = expect.stringContaining('CONFIG_FILE, jobs.run: ');
    expect([code, found.configuration]).toEqual([1, { outcome: 'failed', detail }]);
  });

  it('looks at what CONFIG_FILE sets, too', async () => {
    const CONFIG_FILE = path('credence.json');
    const notary = { url: 'https://127.0.0.1:1' };
    const settings = { redisUrl: 'redis://127.0.0.1:1', notary, canaries: { targets: ['tiktok:nobody.here'] } };
    await writeFile(CONFIG_FILE, JSON.stringify(settings));
    const { tiktokBaseUrl: TIKTOK_BASE_URL } = instance.simulator;
    const { found } = await examined({ DATA_DIR: path(), CONFIG_FILE, TIKTOK_BASE_URL, SCRAPER_PACING: 'off' });
    expect(found).toMatchObject({
      Redis: { outcome: 'failed', detail: expect.stringContaining('ECONNREFUSED') },
      notary: { outcome: 'failed', detail: expect.stringContaining('https://127.0.0.1:1 cannot be reached') },
      'canary tiktok:nobody.here': { outcome: 'failed' },
    });
  });

  it('warns as the host does at its start', async () => {
    const { code, found } = await examined({ ADMIN_TOKENS: 'x' }, '--platforms');
    const detail = 'ADMIN_TOKENS is not a setting of this host. Did you mean ADMIN_TOKEN?';
    expect([code, found.configuration]).toEqual([0, { outcome: 'warning', detail }]);
  });

  it('asks an official API for one connected account, and names what is missing', async () => {
    const { instagramBaseUrl: baseUrl } = instance.simulator;
    instance.world.addPost({ platform: 'instagram', owner: 'our.shop' });
    instance.world.official.setApproving('instagram', 'our.shop');
    const { appId, appSecret: INSTAGRAM_APP_SECRET, verifyToken } = SIMULATED_APP;
    const official = { appId, verifyToken, baseUrl, redirectUris: [REDIRECT_URI] };
    const write = (changes: object) =>
      writeFile(
        path('credence.json'),
        JSON.stringify({ platforms: { instagram: { official: { ...official, ...changes } } } }),
      );
    await write({});
    const CONFIG_FILE = path('credence.json');
    const env = {
      DATA_DIR: path(),
      CONFIG_FILE,
      INSTAGRAM_APP_SECRET,
      SCRAPER_PACING: 'off',
      PUBLIC_URL: REDIRECT_URI,
    };
    const found = async (changes: Record<string, string> = {}) => {
      const { out, found } = await examined({ ...env, ...changes });
      expect(out).not.toMatch(/sim-instagram|simulated-app-secret/);
      return found['instagram accounts'];
    };
    expect(await found()).toMatchObject({ outcome: 'skipped' });
    const { config } = await hostConfig(readEnvironment(env));
    const credence = createCredence(config, { logger: silentLogger });
    await credence.start();
    const { id: brandId } = await credence.brands.create({ name: 'Ours', slug: 'ours' });
    const input = { brandId, platform: 'instagram', redirectUri: REDIRECT_URI };
    const { authorizationUrl, state } = await credence.brandConnections.start(input);
    const { headers } = await fetch(authorizationUrl, { redirect: 'manual' });
    const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    await credence.brandConnections.complete({ brandId, state, code });
    expect(await found()).toEqual({ outcome: 'ok', detail: 'the platform answers for our.shop' });
    await write({ redirectUris: [] });
    expect(await found({ PUBLIC_URL: '' })).toMatchObject({
      outcome: 'warning',
      detail: expect.stringMatching(/our\.shop\nset PUBLIC_URL.*\nset platforms\.instagram\.official\.redirectUris/),
    });
    instance.world.official.setTokens('instagram', 'our.shop', 'revoked');
    expect(await found()).toMatchObject({
      outcome: 'failed',
      detail: expect.stringMatching(/^our\.shop: PLATFORM_UNAVAILABLE: .*withdrawn/),
    });
    // The doctor notes nothing.
    const store = partOf(credence, TOKENS.storage).brandConnections;
    const [connection] = await store.list({ brandId });
    expect(connection).toMatchObject({ status: 'active' });
    if (connection) await store.update(connection, { status: 'revoked' });
    await credence.stop();
    expect(await found()).toMatchObject({
      outcome: 'warning',
      detail: expect.stringContaining('to be connected again: 1 revoked'),
    });
  });

  it('opens the storage, and reads the posts that are named', async () => {
    const { url: canary } = instance.world.addPost({ platform: 'tiktok', owner: 'maker', comments: 1 });
    const env = {
      DATA_DIR: path(),
      TIKTOK_BASE_URL: instance.simulator.tiktokBaseUrl,
      SCRAPER_PACING: 'off',
      REDIS_URL: 'redis://127.0.0.1:1',
      NOTARY_URL: 'https://127.0.0.1:1',
    };
    const { code, found } = await examined(env, '--canary', canary, '--canary', 'tiktok:nobody.here');
    expect(code).toBe(1);
    expect(found).toMatchObject({
      'storage and keys': { outcome: 'ok' },
      Redis: { outcome: 'failed' },
      notary: {
        outcome: 'failed',
        detail: expect.stringMatching(
          /^https:\/\/127\.0\.0\.1:1\/? cannot be reached\.\n {2}because: fetch failed\n {2}because: .+$/,
        ),
      },
      [`canary ${canary}`]: { outcome: 'ok' },
      'canary tiktok:nobody.here': { outcome: 'failed', detail: expect.stringMatching(/^PROFILE_NOT_FOUND: /) },
    });
    // The first token is left to the start of a host, which shows it.
    const { config } = await hostConfig(readEnvironment(env));
    const host = createCredence(config, { logger: silentLogger });
    expect((await host.start()).generatedAdminToken).toMatch(/^crd_/);
    await host.stop();
    instance.world.addProfile({ platform: 'instagram', handle: 'ada' });
    for (const endpoint of ['profile-page', 'web-profile', 'user-feed']) {
      const shape = endpoint === 'user-feed' ? 'front-page-redirect' : 'server-error';
      instance.world.failures.add({ platform: 'instagram', endpoint, shape });
    }
    const { instagramBaseUrl: INSTAGRAM_BASE_URL } = instance.simulator;
    const instagram = { ...env, INSTAGRAM_BASE_URL, INSTAGRAM_SESSION_IDS: INSTAGRAM_SESSION };
    const sessions = await run(['doctor', '--platforms', '--canary', 'instagram:ada'], { env: instagram });
    instance.world.failures.clear();
    expect(sessions.out).toMatch(/ok +canary instagram:ada/);
    expect(sessions.out).toMatch(/instagram-sessions +user-feed sends 1 of 1 away/);
    const alone = await run(['doctor', '--platforms'], { env: { ...env, PLATFORM_CANARIES: 'tiktok:maker' } });
    expect(alone).toMatchObject({ code: 0, err: '' });
    expect(alone.out.split('\n').map((line) => line.trim().split(/ {2,}/)[1])).toEqual([
      expect.stringMatching('version'),
      'configuration',
      'canary tiktok:maker',
    ]);
  });
});
