import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseBody as parse, type ReadBody, readBody } from '../../../plugins/http/body.ts';
import { streamOf } from './requests.ts';

const parseBody = async (...given: Parameters<typeof parse>) => parse(...given);
const bytes = (text: string): ReadBody => ({ bytes: new TextEncoder().encode(text) });

describe('readBody', () => {
  it('keeps a stream up to the limit, and lets only so much pass after refusing it', async () => {
    const fits = await readBody(streamOf('ab', 'cd').source, undefined, 4);
    expect(Buffer.from(fits.bytes ?? []).toString()).toBe('abcd');
    const long = streamOf(...Array<string>(10).fill('x'.repeat(1024 * 1024)));
    await expect(readBody(long.source, undefined, 4)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    // One for the refusal, and those that take the rest past 4 MiB.
    await new Promise((resolve) => setImmediate(resolve));
    expect(long.read()).toBe(6);
  });

  it('takes as many bytes as the limit, announced or not', async () => {
    const four = new TextEncoder().encode('abcd');
    expect(await readBody({ kind: 'bytes', bytes: four }, undefined, 4)).toEqual({ bytes: four });
    for (const announced of ['4', '3', undefined]) {
      const { bytes: read } = await readBody(streamOf('abcd').source, announced, 4);
      expect(Buffer.from(read ?? []).toString()).toBe('abcd');
    }
  });

  it('stops when the share of the body is ended, before it reads and while it does', async () => {
    const reason = new Error('Too many.');
    const ending = new AbortController();
    const no = () => undefined;
    const share = { caller: 'ann', held: 0, ended: ending.signal, take: no, count: no, release: no };
    const pieces = streamOf('ab', 'cd');
    const read = await readBody(pieces.source, undefined, 4, share);
    expect([Buffer.from(read.bytes ?? []).toString(), getEventListeners(ending.signal, 'abort')]).toEqual(['abcd', []]);
    const endless: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    const stuck = readBody({ kind: 'stream', stream: endless }, undefined, 4, share);
    ending.abort(reason);
    await expect(stuck).rejects.toBe(reason);
    await expect(readBody({ kind: 'stream', stream: endless }, undefined, 4, share)).rejects.toBe(reason);
  });

  it('knows no body, an empty one, bytes, and what the host parsed', async () => {
    expect(await readBody({ kind: 'none' }, undefined, 4)).toEqual({ bytes: null });
    expect(await readBody(streamOf().source, undefined, 4)).toEqual({ bytes: null });
    expect(await readBody({ kind: 'bytes', bytes: Uint8Array.of() }, undefined, 4)).toEqual({ bytes: null });
    const parsed = { bytes: null, parsed: { value: { a: 1 } } };
    expect(await readBody({ kind: 'parsed', value: { a: 1 } }, undefined, 4)).toEqual(parsed);
    const long = readBody({ kind: 'bytes', bytes: new Uint8Array(5) }, undefined, 4);
    await expect(long).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('parseBody', () => {
  it.each(['application/jsonp', 'x-application/a+json', 'application/a+jsonp', 'application/+json'])(
    'refuses the type %s',
    async (type) => {
      await expect(parseBody(bytes('{}'), type)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  it('takes JSON where forms are allowed too, and forms of any number of fields', async () => {
    expect(await parseBody(bytes('{"a":1}'), 'application/json', { allowForm: true })).toEqual({ a: 1 });
    const form = bytes(`a=${','.repeat(70_000)}`);
    const body = await parseBody(form, 'application/x-www-form-urlencoded', { allowForm: true });
    expect(body).toEqual({ a: ','.repeat(70_000) });
  });

  it('reads each member name as it is, whatever bodies were read before', async () => {
    for (const text of ['{"id":1,"\\\\":0}', '{"id":1,"\\u20ac":700}']) {
      const value = await parseBody(bytes(text), 'application/json');
      expect(Object.keys(value as object)).toEqual(['id', text.includes('u20ac') ? '€' : '\\']);
    }
  });

  it.each([undefined, 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'refuses what the host parsed from the type %s, which other sites may send with cookies',
    async (type) => {
      await expect(parseBody({ bytes: null, parsed: { value: { role: 'admin' } } }, type)).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    },
  );
});
