/** The steps of a request, each for what only it decides. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { type ByteCounter, type ByteShare, createByteCounter } from '../../../plugins/http/byte-counter.ts';
import type { BodySource } from '../../../plugins/http/message.ts';
import { type Input, jsonRequest, request, row, streamOf, testDispatcher } from './requests.ts';

const JSON_BODY = { authorization: 'Bearer admin', 'content-type': 'application/json' };
const bytesOf = (text: string): BodySource => ({ kind: 'bytes', bytes: Buffer.from(text) });
const parsed = ({ body }: { body: string }) => JSON.parse(body);

describe('a body', () => {
  const route = row({ body: z.object({}) });
  const statusOf = async (headers: Readonly<Record<string, string>>, body: BodySource, of = route) =>
    (await testDispatcher().dispatch(of, request({ headers: { ...JSON_BODY, ...headers }, body }))).status;

  it.each([
    ['gzip', 415],
    ['identity', 200],
    [' Identity ', 200],
    ['', 200],
  ])('with the Content-Encoding %j is answered with %d', async (coding, status) => {
    expect(await statusOf({ 'content-encoding': coding }, streamOf('{}').source)).toBe(status);
  });

  it('that the host has read and unpacked may have had any Content-Encoding', async () => {
    expect(await statusOf({ 'content-encoding': 'gzip' }, bytesOf('{}'))).toBe(200);
    expect(await statusOf({ 'content-encoding': 'gzip' }, { kind: 'parsed', value: {} })).toBe(200);
  });

  it('with a refused Content-Encoding is not read', async () => {
    const { source, read } = streamOf('{}');
    const headers = { ...JSON_BODY, 'content-encoding': 'br' };
    const answer = await testDispatcher().dispatch(route, request({ headers, body: source }));
    expect(parsed(answer).error.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(read()).toBe(0);
  });

  it('is a form only if its row accepts one', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await statusOf(form, bytesOf('a=1'))).toBe(415);
    expect(await statusOf(form, bytesOf('a=1'), row({ body: z.object({}), form: true }))).toBe(200);
    expect(await statusOf(form, bytesOf('a=1'), row({ body: z.object({}), form: false }))).toBe(415);
  });

  it('must be there, unless it is optional; one that is there is parsed either way', async () => {
    const seen: unknown[] = [];
    const handle = async ({ body }: Input) => {
      seen.push(body);
      return { status: 200 };
    };
    const any = { body: z.unknown() };
    expect(await statusOf({}, { kind: 'none' }, row(any, handle))).toBe(400);
    expect(await statusOf({}, { kind: 'none' }, row({ ...any, bodyOptional: true }, handle))).toBe(200);
    expect(await statusOf({}, bytesOf('{"a":1}'), row({ ...any, bodyOptional: true }, handle))).toBe(200);
    expect(seen).toEqual([undefined, { a: 1 }]);
  });

  it('that announces more than its row accepts is refused unread', async () => {
    const { source, read } = streamOf('{}');
    const headers = { ...JSON_BODY, 'content-length': '65537' };
    expect((await testDispatcher().dispatch(route, request({ headers, body: source }))).status).toBe(413);
    expect(read()).toBe(0);
    expect(await statusOf({ 'content-length': '65536' }, streamOf('{}').source)).toBe(200);
  });
});

describe('the headers of a request', () => {
  const route = row({
    body: z.object({}),
    maxBodyBytes: 10,
    checkHeaders: (header) => {
      if (header('x-sign') !== 'mine') throw new DomainError('UNAUTHORIZED', 'A stranger.');
    },
  });
  const statusOf = async (headers: Readonly<Record<string, string>>, body: BodySource) =>
    (await testDispatcher().dispatch(route, request({ headers: { ...JSON_BODY, ...headers }, body }))).status;

  it('are checked by the row before a body that still has to be read', async () => {
    const { source, read } = streamOf('{}');
    expect(await statusOf({ 'content-length': '10' }, source)).toBe(401);
    expect(read()).toBe(0);
    expect(await statusOf({ 'x-sign': 'mine' }, streamOf('{}').source)).toBe(200);
  });

  it('are left to the check of the body if the host has read it', async () => {
    expect(await statusOf({}, bytesOf('{}'))).toBe(200);
  });

  it('do not hide that the body is too large', async () => {
    expect(await statusOf({ 'content-length': '11' }, streamOf('{}').source)).toBe(413);
  });
});

describe('the shares of bytes', () => {
  /** A budget that notes who opened a share and what it holds. */
  function watched(): ByteCounter & { readonly opened: Map<string, ByteShare> } {
    const budget = createByteCounter({ freeBytes: 0, callerBytes: 1_000, totalBytes: 1_000 });
    const opened = new Map<string, ByteShare>();
    return {
      opened,
      open(key) {
        const share = budget.open(key);
        opened.set(key, share);
        return share;
      },
    };
  }
  const body = { body: z.object({}) };

  it('are kept by caller; strangers have their own', async () => {
    const byteCounter = watched();
    const { dispatch } = testDispatcher({ byteCounter });
    await dispatch(row(body), jsonRequest({}));
    await dispatch(row({ ...body, access: 'public' }), jsonRequest({}, { headers: {} }));
    await dispatch(row(), request());
    expect([...byteCounter.opened.keys()]).toEqual(['token:1']);
  });

  it('hold the bytes of a body while its handler runs', async () => {
    const byteCounter = watched();
    let held: readonly number[] = [];
    const route = row(body, async () => {
      held = [...byteCounter.opened.values()].map((share) => share.held);
      return { status: 204 };
    });
    const given = request({ headers: JSON_BODY, body: streamOf('{"a":', '12345}').source });
    expect((await testDispatcher({ byteCounter }).dispatch(route, given)).status).toBe(204);
    expect(held).toEqual([11]);
    expect([...byteCounter.opened.values()].map((share) => share.held)).toEqual([0]);
  });

  it('are given back when the handler fails, once the refusal is sent', async () => {
    const byteCounter = watched();
    const route = row(body, async () => {
      throw new DomainError('CONFLICT', 'No.');
    });
    const headers = { ...JSON_BODY };
    const given = request({ headers, body: streamOf(`{"a":"${'x'.repeat(500)}"}`).source });
    const { body: refusal, release } = await testDispatcher({ byteCounter }).dispatch(route, given);
    expect(byteCounter.opened.get('token:1')?.held).toBe(refusal.length);
    release?.();
    expect(byteCounter.opened.get('token:1')?.held).toBe(0);
  });

  it('of a known caller are not those of strangers, whose bodies are smaller', async () => {
    const route = row({ body: z.string(), maxBodyBytes: 32 * 1024 * 1024 });
    const large = streamOf(JSON.stringify('x'.repeat(17 * 1024 * 1024))).source;
    expect((await testDispatcher().dispatch(route, request({ headers: JSON_BODY, body: large }))).status).toBe(200);
  });

  it('of strangers are given back with their answers', async () => {
    const { dispatch } = testDispatcher();
    const route = row({ ...body, access: 'callback', maxBodyBytes: 8 * 1024 * 1024 });
    const large = () => streamOf(JSON.stringify({ padding: 'x'.repeat(7 * 1024 * 1024) })).source;
    for (let count = 0; count < 8; count += 1) {
      expect((await dispatch(route, request({ headers: JSON_BODY, body: large() }))).status).toBe(200);
    }
  });
});

describe('the input of a handler', () => {
  it('carries the signal of the request', async () => {
    const { signal } = new AbortController();
    let seen: AbortSignal | undefined;
    const route = row({}, async (input) => {
      seen = input.signal;
      return { status: 200 };
    });
    await testDispatcher().dispatch(route, request({ signal }));
    expect(seen).toBe(signal);
  });

  it('lets a handler without a body hold what it likes', async () => {
    const route = row({}, async ({ hold }) => {
      hold(2 ** 40);
      return { status: 200 };
    });
    expect((await testDispatcher().dispatch(route, request())).status).toBe(200);
  });

  it('is refused with the name of the part that does not fit', async () => {
    const part = z.object({ id: z.coerce.number() });
    const issueOf = async (route: Parameters<typeof row>[0], given = {}) =>
      parsed(await testDispatcher().dispatch(row(route), request(given))).error.details.issues[0].path;
    expect(await issueOf({ params: part }, { params: { id: 'x' } })).toBe('path.id');
    expect(await issueOf({ query: part }, { query: 'id=x' })).toBe('query.id');
  });
});

describe('a reply', () => {
  const answerOf = (reply: Awaited<ReturnType<ReturnType<typeof row>['handle']>>, responses = {}) =>
    testDispatcher().dispatch(
      row({ responses }, async () => reply),
      request(),
    );

  it('keeps only the fields that the schema of its status names', async () => {
    const responses = { 200: { description: 'Good.', schema: z.object({ id: z.number() }) } };
    const body = { id: 1, secret: 'x' };
    expect(parsed(await answerOf({ status: 200, body }, responses))).toEqual({ id: 1 });
    expect(parsed(await answerOf({ status: 202, body }, responses))).toEqual(body);
  });

  it('is text as it is if it has a content type, JSON in every other case', async () => {
    const html = await answerOf({ status: 200, contentType: 'text/html', body: '<p>' });
    expect(html).toMatchObject({ body: '<p>', headers: { 'content-type': 'text/html' } });
    expect((await answerOf({ status: 200, contentType: 'application/problem+json', body: { a: 1 } })).body).toBe(
      '{"a":1}',
    );
    expect((await answerOf({ status: 200, body: 'text' })).body).toBe('"text"');
    expect((await answerOf({ status: 204 })).body).toBe('');
  });

  it('hands on the bytes that many answers share, and has none of its own', async () => {
    const encoded = Buffer.from('<p>');
    expect((await answerOf({ status: 200, contentType: 'text/html', body: '<p>', encoded })).encoded).toBe(encoded);
    expect(await answerOf({ status: 200, body: {} })).not.toHaveProperty('encoded');
  });
});

describe('the cause of a failure', () => {
  async function warned(code: 'CONFLICT' | 'PLATFORM_UNAVAILABLE' | 'INTERNAL_ERROR', cause?: Error) {
    const { dispatch, lines } = testDispatcher();
    const route = row({}, async () => {
      throw new DomainError(code, 'No.', { cause });
    });
    await dispatch(route, request({ headers: { authorization: 'Bearer admin', 'x-request-id': 'request-1' } }));
    return lines.filter(({ level }) => level === 'warn').map(({ facts }) => facts);
  }
  const cause = new Error('refused');

  it('is logged with the request if the failure is not the client’s', async () => {
    const facts = { requestId: 'request-1', route: 'test', err: cause };
    expect(await warned('PLATFORM_UNAVAILABLE', cause)).toEqual([{ ...facts, code: 'PLATFORM_UNAVAILABLE' }]);
    expect(await warned('INTERNAL_ERROR', cause)).toEqual([{ ...facts, code: 'INTERNAL_ERROR' }]);
  });

  it('is not logged for a refusal, or when there is none', async () => {
    expect(await warned('CONFLICT', cause)).toEqual([]);
    expect(await warned('PLATFORM_UNAVAILABLE')).toEqual([]);
  });
});
