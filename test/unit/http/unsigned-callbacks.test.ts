import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { createByteCounter } from '../../../plugins/http/byte-counter.ts';
import { createWebProofCallbackRoutes } from '../../../plugins/http/routes/web-proof-callback.ts';
import { request, streamOf, testDispatcher } from './requests.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NOW = new Date('2026-11-22T08:00:00Z');
const SECONDS = String(NOW.getTime() / 1_000);
const SIGNATURE = createHmac('sha256', 'another secret').update('').digest('base64');

const [route] = createWebProofCallbackRoutes({
  acceptWebProof: () => Promise.reject(new Error('not reached')),
  secret: SECRET,
  clock: { now: () => NOW },
});

describe('a web-proof callback', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['no signature', {}],
    ['a signature that is no HMAC', { 'x-service-signature': 'x' }],
    ['a standard signature without its other headers', { 'webhook-signature': `v1,${SIGNATURE}` }],
    [
      'a standard signature of long ago',
      { 'webhook-signature': `v1,${SIGNATURE}`, 'webhook-id': 'a', 'webhook-timestamp': String(Number(SECONDS) - 301) },
    ],
    [
      'a standard signature of another kind',
      { 'webhook-signature': `v2,${SIGNATURE}`, 'webhook-id': 'a', 'webhook-timestamp': SECONDS },
    ],
  ])('with %s is refused before its body is read', async (_what, headers) => {
    if (route === undefined) throw new Error('There is no route.');
    const body = streamOf('{}');
    const sent = request({ headers: { 'content-type': 'application/json', ...headers }, body: body.source });
    expect((await testDispatcher().dispatch(route, sent)).status).toBe(401);
    expect(body.read()).toBe(0);
  });

  it('with a signature that cannot be told from a true one takes nothing from callers with tokens', async () => {
    if (route === undefined) throw new Error('There is no route.');
    const byteCounter = createByteCounter({ freeBytes: 0, callerBytes: 0, totalBytes: 0 });
    const body = streamOf('x'.repeat(1024 * 1024));
    const headers = { 'content-type': 'application/json', 'x-service-signature': SIGNATURE };
    const answer = await testDispatcher({ byteCounter }).dispatch(route, request({ headers, body: body.source }));
    // Read whole, and refused for its signature: not for a counter that has no room at all.
    expect(answer.status).toBe(401);
    expect(body.read()).toBe(1);
  });

  it('that is signed is taken beside any number of others that stop midway, from many addresses or from its own', async () => {
    if (route === undefined) throw new Error('There is no route.');
    const { dispatch } = testDispatcher();
    const headers = { 'content-type': 'application/json', 'x-service-signature': SIGNATURE };
    const stalled: Promise<{ readonly status: number }>[] = [];
    async function* stall() {
      yield new Uint8Array(7 * 1024 * 1024);
      await new Promise(() => undefined);
    }
    for (let count = 0; count < 20; count += 1) {
      const ip = `192.0.2.${count % 10}`;
      stalled.push(dispatch(route, request({ ip: () => ip, headers, body: { kind: 'stream', stream: stall() } })));
    }
    for (const ip of ['198.51.100.1', '192.0.2.0', '192.0.2.9']) {
      const text = JSON.stringify({ padding: 'x'.repeat(7 * 1024 * 1024) });
      const signed = { ...headers, 'x-service-signature': serviceSignature(SECRET, text) };
      const answer = await dispatch(route, request({ ip: () => ip, headers: signed, body: streamOf(text).source }));
      // Read whole and found to be signed, then refused for what it says.
      expect(JSON.parse(String(answer.body))).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
    }
    const ended = await Promise.race(stalled);
    expect(ended.status).toBe(503);
  });
});
