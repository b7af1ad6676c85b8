import { describe, expect, it } from 'vitest';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/index.ts';
import type { TlsRequest } from '../../../../core/ports/tls-exchange.ts';
import { createNotarize, type RevealedExchange } from '../../../../core/web-proof/notarize/notarize.ts';
import { notarizeRequestSchema } from '../../../../core/web-proof/prove-request.ts';
import { LIMITS } from '../../../../core/web-proof/tlsnotary/limits.ts';
import type { Extension } from '../../../../core/web-proof/tlsnotary/presentation.ts';
import { seededRandom } from '../../../support/proof-builder.ts';
import { handshake, signer } from '../../../support/worked-example.ts';

const text = (value: string) => new TextEncoder().encode(value);
const ANSWER = 'HTTP/1.1 201 Created\r\nX-Token: s3cret\r\nContent-Length: 9\r\n\r\n{"a":"b"}';

interface Script {
  readonly request?: Record<string, unknown>;
  readonly answer?: string;
  readonly extensions?: readonly Extension[];
  /** Gives up while the server answers. */
  readonly givenUp?: boolean;
}

/** Notarizes an answer as scripted: what came of it, what was sent and what those who extend attestations were shown. */
async function notarize({ request = {}, answer = ANSWER, extensions = [], givenUp = false }: Script = {}) {
  const asked: { request: TlsRequest; signal: AbortSignal }[] = [];
  const shown: RevealedExchange[] = [];
  const controller = new AbortController();
  const make = createNotarize({
    tls: {
      exchange: async (tlsRequest, signal) => {
        asked.push({ request: tlsRequest, signal });
        if (givenUp) controller.abort(new Error('given up'));
        return { time: 1_780_272_000, received: text(answer), handshake };
      },
    },
    signer,
    decoder: createZlibContentDecoder(),
    random: seededRandom(1),
    attestationExtensions: async (revealed) => {
      shown.push(revealed);
      return extensions;
    },
  });
  const parsed = notarizeRequestSchema.parse({ url: 'https://a.test:8443/x?k=secret', ...request });
  const outcome = await make(parsed, controller.signal).then(
    ({ presentation: bytes, warnings }) => ({ bytes, warnings, error: undefined }),
    (error: unknown) => ({ bytes: undefined, warnings: undefined, error }),
  );
  return { ...outcome, asked, shown, signal: controller.signal };
}

describe('notarizing', () => {
  it.each([
    ['is no HTTP', 'nonsense\r\n\r\n', /response/],
    [
      'has been coded too often',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, br, gzip\r\nContent-Length: 1\r\n\r\nx',
      /response.*more than 3 content codings/,
    ],
    ['is compressed badly', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx', /gzip/],
  ])('makes no proof of an answer that %s', async (_title, answer, message) => {
    const { error, shown } = await notarize({ answer });
    expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: expect.stringMatching(message) });
    expect(shown).toEqual([]);
  });

  const HIDE_KEY = { headers: ['x-key: s3cret-t0ken'], redaction: [{ request: { headers: ['x-key'] } }] };
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'has a head that verifiers would not read',
      { headers: Array.from({ length: 33 }, (_, i) => `x-${i}: ${'a'.repeat(8_100)}`) },
      /^The request cannot be proven: more than 262144 header bytes/,
    ],
    [
      'shows a signature over what it hides',
      {
        headers: ['x-signature: abc', 'x-key: s3cret-t0ken'],
        redaction: [{ request: { headers_except: ['x-signature'] } }],
      },
      /the request header x-signature is to be shown, but it tells about what is hidden/,
    ],
    [
      'hides a value that is too short for its caller',
      { headers: ['x-pin: 1234'], redaction: [{ request: { headers: ['x-pin'] } }], refuseShortValues: true },
      /the request header x-pin is a boolean, null or a value of fewer than 8 bytes/,
    ],
    [
      'shows a hidden value in its body',
      { ...HIDE_KEY, method: 'POST', body: '{"key":"s3cret-t0ken"}' },
      /the request header x-key also appears in the request body \(the field key\)/,
    ],
    [
      'shows a hidden value in its URL',
      { ...HIDE_KEY, url: 'https://a.test/s3cret-t0ken' },
      /the request header x-key also appears in the request URL/,
    ],
    [
      'has a body that cannot be searched for what it hides',
      { ...HIDE_KEY, headers: [...HIDE_KEY.headers, 'content-encoding: compress'], method: 'POST', body: 'x' },
      /the request body has an unknown content encoding/,
    ],
  ])('asks no server if the request %s', async (_title, request, message) => {
    const { error, asked } = await notarize({ request });
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) });
    expect(asked).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['hides nothing, in any encoding', { headers: ['content-encoding: compress'], method: 'POST', body: 'x' }],
    [
      'hides a value too short to be searched for',
      { headers: ['x-pin: 12'], redaction: [{ request: { headers: ['x-pin'] } }] },
    ],
  ])('asks the server if the request %s', async (_title, request) => {
    expect((await notarize({ request })).bytes).toBeDefined();
  });

  it('makes a proof up to the size that verifiers accept, and none beyond it', async () => {
    const extended = (length: number) => notarize({ extensions: [{ id: text('x'), value: new Uint8Array(length) }] });
    const rest = (await extended(0)).bytes?.length ?? 0;
    expect((await extended(LIMITS.presentation - rest)).bytes).toHaveLength(LIMITS.presentation);
    const { error } = await extended(LIMITS.presentation - rest + 1);
    expect(error).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: `The presentation cannot be built: it would have ${LIMITS.presentation + 1} bytes, more than verifiers accept (${LIMITS.presentation}): hide fewer separate values or ask for a smaller answer.`,
    });
  });
});
