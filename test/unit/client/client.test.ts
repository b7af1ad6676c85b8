import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ClientOptions,
  CredenceApiError,
  CredenceConnectionError,
  createCredenceClient,
} from '../../../plugins/client/index.ts';

const URL_OF_API = 'https://api.example.com/engagement/';

type Answer = Response | Error | (() => Promise<Response>);

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  json({ error: { code, message: 'No.', requestId: 'request-1' } }, status, headers);

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client whose requests get these answers in turn, the last one again and again. */
function scripted(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, init, headers: init.headers as Record<string, string> });
    init.signal?.throwIfAborted();
    const answer = answers[Math.min(sent.length, answers.length) - 1] as Answer;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer() : answer.clone();
  };
  const client = createCredenceClient({ url: URL_OF_API, token: 'secret', fetch, ...options });
  return { client, sent };
}

const failed = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('The call succeeded.'),
    (error: unknown) => error,
  );

/** All that a list gives one by one. */
async function walked(list: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const item of list) seen.push(item);
  return seen;
}
const searches = (sent: readonly Sent[]) => sent.map(({ url }) => new URL(url).search);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets waits pass until the call is over; returns how long they took. */
async function over<T>(call: Promise<T>): Promise<{ readonly result: T; readonly waitedMs: number }> {
  const start = Date.now();
  let isOver = false;
  const ended = call.finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  for (let turn = 0; turn < 1_000 && !isOver; turn += 1) await vi.advanceTimersByTimeAsync(100);
  return { result: await ended, waitedMs: Date.now() - start };
}

describe('a call', () => {
  it('puts fields into path, query and body, and unwraps the data', async () => {
    const { client, sent } = scripted([json({ data: { id: 3 } })]);
    expect(await client.webhooks.update({ brandId: 1, webhookId: 3, active: false })).toEqual({ id: 3 });
    await client.attempts.findByHandle({ challengeId: 4, handle: 'a/b?c' });
    await client.lookups.comments({ url: 'https://example.com/p/1?x=1&y', cursor: undefined });
    expect(sent.map(({ url, init }) => [init.method, url, init.body])).toEqual([
      ['PATCH', 'https://api.example.com/engagement/admin/brands/1/webhooks/3', '{"active":false}'],
      ['GET', 'https://api.example.com/engagement/admin/challenges/4/attempts/by-handle/a%2Fb%3Fc', undefined],
      [
        'GET',
        'https://api.example.com/engagement/v1/comments?url=https%3A%2F%2Fexample.com%2Fp%2F1%3Fx%3D1%26y',
        undefined,
      ],
    ]);
    const authorization = 'Bearer secret';
    expect(sent[0]?.headers).toEqual({ accept: 'application/json', authorization, 'content-type': 'application/json' });
  });

  // Sent, the first one would delete the brand on a host that ignores a slash at the end.
  it.each(['..', '.', '', null])('sends nothing with %j in its path', async (value) => {
    const { client, sent } = scripted([json({ data: null })]);
    const error = await failed(client.webhooks.delete({ brandId: 1, webhookId: value as never }));
    expect([error, String(error), sent]).toEqual([expect.any(TypeError), expect.stringContaining('`webhookId`'), []]);
  });

  it('keeps what is beside the data, and what has no data', async () => {
    const { client } = scripted([json({ data: { a: 1 }, warning: 'w' }), json({ ok: true })]);
    expect(await client.creators.refresh({ userId: 1 })).toEqual({ data: { a: 1 }, warning: 'w' });
    const { client: unwarned } = scripted([json({ data: { a: 1 } })]);
    expect(await unwarned.creators.refresh({ userId: 1 })).toEqual({ data: { a: 1 } });
    expect(await client.webhooks.delete({ brandId: 1, webhookId: 2 })).toEqual({ ok: true });
  });

  it('asks for its token each time, and sends the headers it is told to', async () => {
    let count = 0;
    const token = async () => {
      count += 1;
      return count === 1 ? 'one' : undefined;
    };
    const { client, sent } = scripted([json({ data: [] })], { token, headers: { 'x-team': 'a' } });
    await client.brands.list();
    await client.brands.list();
    const credentials = sent.map(({ headers }) => [headers.authorization, headers['x-team']]);
    expect(credentials).toEqual([
      ['Bearer one', 'a'],
      [undefined, 'a'],
    ]);
  });

  it.each(['', 'a b', 'secret\n', 'sécret'])(
    'refuses the token %j before it sends anything, and never shows it',
    async (token) => {
      for (const given of [token, async () => token]) {
        const { client, sent } = scripted([json({ data: [] })], { token: given });
        const error = await failed(client.brands.list());
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toBe('TypeError: `token` must be printable ASCII without spaces.');
        expect(sent).toEqual([]);
      }
    },
  );

  it('refuses a field of the path that is missing, before it sends anything', async () => {
    const { client, sent } = scripted([json({})]);
    const call = client.campaigns.get as (input: object) => Promise<unknown>;
    for (const id of [undefined, null, '']) {
      expect(await failed(call({ id }))).toEqual(new TypeError('`id` is missing.'));
    }
    expect(sent).toEqual([]);
  });

  it.each(['ftp://example.com', 'not a url', ''])('cannot be made to %s', (url) => {
    expect(() => createCredenceClient({ url })).toThrow(TypeError);
  });

  it.each([
    [undefined, 'undefined'],
    ['', '""'],
    ['localhost:3000', '"localhost:3000"'],
    ['/engagement', '"/engagement"'],
    [3000, '3000'],
  ])('names the option and what is expected if the URL is %j', (url, given) => {
    const expected = `\`url\` must be an http or https URL such as https://credence.example, not ${given}.`;
    expect(() => createCredenceClient({ url } as ClientOptions)).toThrow(new TypeError(expected));
  });

  it.each(['http://localhost:3000', undefined, null])('says that it takes an object, not %j', (options) => {
    const expected = "The options must be an object, such as { url: 'https://credence.example', token }.";
    expect(() => createCredenceClient(options as unknown as ClientOptions)).toThrow(new TypeError(expected));
  });

  it('takes a path of the page in a browser, but not a missing URL', async () => {
    vi.stubGlobal('location', { href: 'https://app.example/page?q#here' });
    try {
      const { client, sent } = scripted([json({ data: [] })], { url: '/engagement' });
      await client.brands.list();
      expect(sent[0]?.url).toBe('https://app.example/engagement/admin/brands');
      expect(() => createCredenceClient({} as ClientOptions)).toThrow('`url` must be');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('a list', () => {
  const pages = [
    json({ data: [1, 2], pagination: { page: 1, limit: 2, total: 3, nextCursor: 'c/2' } }),
    json({ data: [3], pagination: { page: 2, limit: 2, total: 3, nextCursor: null } }),
  ];

  it('resolves to its first page', async () => {
    const { client, sent } = scripted(pages);
    const { data, pagination } = await client.campaigns.list({ limit: 2 });
    expect([data, pagination.total, sent.length]).toEqual([[1, 2], 3, 1]);
  });

  it('goes through the items of all pages, and reads the next page only when it is needed', async () => {
    const { client, sent } = scripted(pages);
    const seen: unknown[] = [];
    for await (const item of client.campaigns.list({ limit: 2 })) {
      seen.push([item, sent.length]);
    }
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    expect(searches(sent)).toEqual(['?limit=2&cursor=', '?limit=2&cursor=c%2F2']);
  });

  it('is whole if it is awaited without a limit, and walked page by page otherwise', async () => {
    const whole = scripted([json({ data: [1, 2, 3] })]);
    expect(await whole.client.brands.list()).toEqual([1, 2, 3]);
    expect(searches(whole.sent)).toEqual(['']);
    const paged = scripted(pages);
    expect(await walked(paged.client.brands.list())).toEqual([1, 2, 3]);
    const first = '?limit=100&cursor=';
    expect(searches(paged.sent)).toEqual([first, `${first}c%2F2`]);
    const { data, pagination } = await scripted(pages).client.brands.list({ limit: 2 });
    expect([data, pagination.total]).toEqual([[1, 2], 3]);
  });

  it('has one page if it is asked for by its number', async () => {
    const { client, sent } = scripted([json({ data: [3], pagination: { page: 2, limit: 2, total: 3 } })]);
    expect([await walked(client.campaigns.list({ page: 2 })), searches(sent)]).toEqual([[3], ['?page=2']]);
  });

  it('that is refused before it is walked ends no process', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const { client } = scripted([refusal(400, 'INVALID_REQUEST')]);
      const lists = [client.campaigns.list(), client.brands.list()];
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
      for (const list of lists)
        expect(await failed(list as unknown as Promise<unknown>)).toBeInstanceOf(CredenceApiError);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });

  it('fails where a page cannot be read', async () => {
    const { client } = scripted([pages[0] as Response, refusal(400, 'INVALID_REQUEST')]);
    const seen: unknown[] = [];
    const walk = async () => {
      for await (const item of client.campaigns.list()) seen.push(item);
    };
    expect(await failed(walk())).toBeInstanceOf(CredenceApiError);
    expect(seen).toEqual([1, 2]);
  });
});

describe('a refusal', () => {
  it.each<[string, unknown, object]>([
    [
      'of the engagement routes',
      { error: { code: 'CONFLICT', message: 'No.', details: { id: 1 }, requestId: 'body-1' } },
      { code: 'CONFLICT', message: 'No.', details: { id: 1 }, requestId: 'body-1' },
    ],
    [
      'of the web proofs',
      { apiVersion: 'v2.0', success: false, error: { code: 'PROOF_NOT_SEALABLE', message: 'No.' } },
      { code: 'PROOF_NOT_SEALABLE', message: 'No.', requestId: 'header-1' },
    ],
    ['of the oldest dialect', { success: false, error: 'No.' }, { code: null, message: 'No.', requestId: 'header-1' }],
    ['without words', null, { code: null, message: 'The call was refused with status 409.' }],
    ['that is odd', { error: { code: 5, message: {}, details: 'x' } }, { code: null, details: undefined }],
  ])('%s is told with code, message and request id', async (_, body, expected) => {
    const { client } = scripted([json(body, 409, { 'x-request-id': 'header-1' })]);
    const error = await failed(client.brands.create({ name: 'A', slug: 'a' }));
    expect(error).toBeInstanceOf(CredenceApiError);
    expect(error).toMatchObject({ name: 'CredenceApiError', status: 409, ...expected });
  });

  it.each<[string, unknown]>([
    ['of the engagement routes', { error: { code: 'NOT_FOUND', message: 'No.' } }],
    ['of the oldest dialect', { success: false, error: 'No.' }],
  ])('with 404 %s is one', async (_, body) => {
    const { client } = scripted([json(body, 404)]);
    expect(await failed(client.brands.list())).toBeInstanceOf(CredenceApiError);
  });

  it('by a proxy, as HTML, is told with its status', async () => {
    const { client } = scripted([new Response('<html>', { status: 413 })]);
    const error = await failed(client.brands.create({ name: 'A', slug: 'a' }));
    expect(error).toMatchObject({ status: 413, code: null, requestId: null });
  });
});

describe('an answer', () => {
  it.each<[string, Response, RegExp]>([
    ['that is not JSON', new Response('<html>'), /is not Credence/],
    ['that redirects', new Response(null, { status: 302, headers: { location: 'https://evil.example' } }), /redirects/],
    ['that is too large', json({ data: 'x'.repeat(200) }), /larger than 100 bytes/],
    ['that is a 404 of another server', new Response('Not found', { status: 404 }), /is not Credence: it answers 404/],
    ['that is a 404 of a framework', json({ message: 'No route', error: 'Not Found' }, 404), /is not Credence/],
  ])('%s is no answer', async (_, answer, message) => {
    const { client, sent } = scripted([answer], { maxAnswerBytes: 100 });
    const error = await failed(client.brands.list());
    expect(error).toBeInstanceOf(CredenceConnectionError);
    expect((error as Error).message).toMatch(message);
    expect(sent).toHaveLength(1);
  });

  it('in several pieces is read whole, characters at their borders too', async () => {
    const bytes = new TextEncoder().encode('{"data":["süß 🎉"]}');
    const stream = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const { client } = scripted([async () => new Response(stream)]);
    expect(await client.brands.list()).toEqual(['süß 🎉']);
  });
});

describe('retries', () => {
  const lost = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
  const done = json({ data: { id: 1 } });

  it.each<[string, Answer]>([
    ['a lost connection', lost],
    ['a rate limit', refusal(429, 'SCRAPING_RATE_LIMITED')],
    ['a service that is not ready', refusal(503, 'SERVICE_UNAVAILABLE')],
    ['a first request that still runs', refusal(409, 'IDEMPOTENCY_KEY_IN_USE')],
    ['a proxy without a server behind it', new Response('<html>', { status: 502 })],
  ])('follow %s, a POST with the same key', async (_, answer) => {
    const { client, sent } = scripted([answer, done]);
    const { result } = await over(client.brands.create({ name: 'A', slug: 'a' }));
    expect(result).toEqual({ id: 1 });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it.each<[string, Answer]>([
    ['a conflict', refusal(409, 'CONFLICT')],
    ['a platform that cannot be read', refusal(502, 'PLATFORM_UNAVAILABLE')],
    ['a defect', refusal(500, 'INTERNAL_ERROR')],
    ['a wait of more than a minute', refusal(429, 'SCRAPING_RATE_LIMITED', { 'retry-after': '61' })],
  ])('do not follow %s', async (_, answer) => {
    const { client, sent } = scripted([answer, done]);
    await failed(client.brands.list());
    expect(sent).toHaveLength(1);
  });

  it('of a PATCH follow a rate limit only', async () => {
    const update = { brandId: 1, webhookId: 2, active: true };
    const limited = scripted([refusal(429, 'SCRAPING_RATE_LIMITED'), done]);
    await over(limited.client.webhooks.update(update));
    expect(limited.sent).toHaveLength(2);
    for (const answer of [lost, refusal(503, 'SERVICE_UNAVAILABLE')]) {
      const { client, sent } = scripted([answer, done]);
      await failed(client.webhooks.update(update));
      expect([sent.length, sent[0]?.headers['idempotency-key']]).toEqual([1, undefined]);
    }
  });

  it('wait as long as Retry-After says, and up to a quarter longer', async () => {
    for (const header of [() => '7', () => new Date(Date.now() + 7_000).toUTCString()]) {
      const { client } = scripted([refusal(429, 'SCRAPING_RATE_LIMITED', { 'retry-after': header() }), done]);
      const { waitedMs } = await over(client.brands.list());
      expect(waitedMs).toBeGreaterThanOrEqual(6_000);
      expect(waitedMs).toBeLessThan(10_000);
    }
  });

  it('end after two, or as many as are asked for', async () => {
    for (const [maxRetries, tries] of [
      [undefined, 3],
      [0, 1],
      [4, 5],
    ] as const) {
      const { client, sent } = scripted([lost]);
      const error = over(client.brands.list({}, { maxRetries }));
      expect(await failed(error)).toMatchObject({
        name: 'CredenceConnectionError',
        message: 'Cannot reach https://api.example.com/engagement (ECONNRESET). Is it running?',
      });
      expect(sent).toHaveLength(tries);
    }
  });

  it('have the key that the caller gives', async () => {
    const { client, sent } = scripted([done]);
    await client.brands.create({ name: 'A', slug: 'a' }, { idempotencyKey: 'order-7' });
    expect(sent[0]?.headers['idempotency-key']).toBe('order-7');
  });
});

describe('time', () => {
  const never = () => new Promise<Response>(() => undefined);
  const hanging: NonNullable<ClientOptions['fetch']> = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

  it('is up after two minutes, or as much as is asked for', async () => {
    for (const [options, ms] of [
      [{}, 120_000],
      [{ timeoutMs: 500 }, 500],
    ] as const) {
      const client = createCredenceClient({ url: 'http://localhost', fetch: hanging });
      const call = failed(client.brands.list({}, options));
      await vi.advanceTimersByTimeAsync(ms);
      expect(await call).toMatchObject({ name: 'CredenceConnectionError', isTimeout: true });
    }
  });

  it('is a number: what is none is refused before anything is sent', async () => {
    const send = vi.fn();
    const client = createCredenceClient({ url: 'http://localhost', timeoutMs: Number('5 s'), fetch: send });
    await expect(client.brands.list({})).rejects.toThrow('`timeoutMs` must be a number of milliseconds.');
    expect(send).not.toHaveBeenCalled();
  });

  it.each([2 ** 31, 2_592_000_000, Number.POSITIVE_INFINITY])('may be as long as %i ms', async (timeoutMs) => {
    const answer = Promise.withResolvers<Response>();
    const slow: ClientOptions['fetch'] = (url, init) => Promise.race([answer.promise, hanging(url, init)]);
    const client = createCredenceClient({ url: 'http://localhost', timeoutMs, fetch: slow });
    const call = client.brands.list({});
    await vi.advanceTimersByTimeAsync(60_000);
    answer.resolve(json({ data: [] }) as Response);
    expect(await call).toEqual([]);
  });

  it('is not spent on a wait that it does not cover', async () => {
    const { client, sent } = scripted([refusal(429, 'SCRAPING_RATE_LIMITED', { 'retry-after': '30' })]);
    expect(await failed(client.brands.list({}, { timeoutMs: 1_000 }))).toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });

  it('ends with the signal of the caller, in a request, in a wait and before it began', async () => {
    const inRequest = new AbortController();
    const call = failed(
      createCredenceClient({ url: 'http://localhost', fetch: hanging }).brands.list({}, { signal: inRequest.signal }),
    );
    inRequest.abort(new Error('enough'));
    expect(await call).toEqual(new Error('enough'));

    const inWait = new AbortController();
    const { client, sent } = scripted([refusal(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' })]);
    const waiting = failed(client.brands.list({}, { signal: inWait.signal }));
    await vi.advanceTimersByTimeAsync(1_000);
    inWait.abort(new Error('enough'));
    expect(await waiting).toEqual(new Error('enough'));
    expect(sent).toHaveLength(1);

    const before = scripted([never]);
    expect(await failed(before.client.brands.list({}, { signal: AbortSignal.abort(new Error('enough')) }))).toEqual(
      new Error('enough'),
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a warning of an answer', () => {
  const meta = { notaryUrl: 'https://notary.test', warnings: ['It hides nothing: emial.'] };

  it.each([
    ['of a web proof', 'proofs.prove', { data: { data: '00', meta } }, meta.warnings],
    ['of a seal', 'proofs.compress', { data: { details: { warnings: ['a', 'b'] } } }, ['a', 'b']],
    ['beside the data', 'creators.refresh', { data: {}, warning: 'Not refreshed: x.' }, ['Not refreshed: x.']],
    ['in the data', 'challenges.refreshComments', { data: { warning: 'Some are missing.' } }, ['Some are missing.']],
    ['of a page', 'challenges.listLikers', { data: [], pagination: {}, warning: 'Not all.' }, ['Not all.']],
    ['that is none', 'challenges.refreshComments', { data: { warning: null } }, []],
    ['of strangers', 'proofs.verify', { data: { response: { warning: 'no' }, warnings: ['no'] } }, []],
  ])('%s reaches `onWarning` before the call returns', async (_, operation, answer, messages) => {
    const told: unknown[] = [];
    const { client } = scripted([json(answer)], { onWarning: (warning) => told.push(warning) });
    const [group = '', name = ''] = operation.split('.');
    const groups = client as unknown as Record<string, Record<string, (input: object) => Promise<unknown>>>;
    await groups[group]?.[name]?.({ url: 'https://a.test', challengeId: 1, userId: 1 });
    expect(told).toEqual(messages.map((message) => ({ operation, message })));
  });

  it('is written to the console if nobody takes it', async () => {
    const write = vi.spyOn(console, 'warn').mockReturnValue();
    const { client } = scripted([json({ data: { meta } })]);
    await client.proofs.prove({ url: 'https://a.test' });
    expect(write.mock.calls).toEqual([['credence: proofs.prove: It hides nothing: emial.']]);
    write.mockRestore();
  });

  it('rejects the call if `onWarning` throws', async () => {
    const refuse = ({ message }: { message: string }): never => {
      throw new Error(message);
    };
    const { client } = scripted([json({ data: { meta } })], { onWarning: refuse });
    await expect(client.proofs.prove({ url: 'https://a.test' })).rejects.toThrow('It hides nothing: emial.');
  });
});
