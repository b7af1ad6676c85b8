import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createX509CertificateChecker } from '../../../../adapters/x509/x509-certificate-checker.ts';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { HASH } from '../../../../core/web-proof/tlsnotary/hash-algorithms.ts';
import { createTrustedNotaries, trustedNotariesSchema } from '../../../../core/web-proof/trusted-notaries.ts';
import { toVerifiedTranscriptV1, toVerifiedTranscriptV2 } from '../../../../core/web-proof/verified-transcript.ts';
import { createVerifyWebProof } from '../../../../core/web-proof/verify.ts';
import { webProofSchema } from '../../../../core/web-proof/web-proof.ts';
import { type WholeProofSpec, wholeProof } from '../../../support/proof-builder.ts';
import { issueIntermediate, issueLeaf, issueRoot } from '../../../support/test-ca.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

const root = issueRoot();
const mid = issueIntermediate(root);
const leaf = issueLeaf(mid, ['a.test', 'b.test']);
const NOW = Math.floor(Date.now() / 1000);
const REQUEST = 'GET /p?q=1 HTTP/1.1\r\nHost: a.test\r\n\r\n';
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi';

const certificates = createX509CertificateChecker({ extraRoots: [root.der], nodeRoots: false });
const decoder = createZlibContentDecoder();
const verify = createVerifyWebProof({ certificates, decoder, trustedNotaries: createTrustedNotaries([]) });

interface Exchange extends Partial<Omit<WholeProofSpec, 'sent' | 'received'>> {
  readonly request?: string | Uint8Array;
  readonly response?: string | Uint8Array;
}

const webProof = ({ request = REQUEST, response = RESPONSE, ...rest }: Exchange = {}) => {
  const [sent, received] = [Uint8Array.from(Buffer.from(request)), Uint8Array.from(Buffer.from(response))];
  return wholeProof({ leaf, chain: [mid], sent, received, time: NOW, seed: 5, ...rest });
};

describe('verify', () => {
  it('reads both versions and each hash algorithm', async () => {
    for (const hashAlgorithm of Object.values(HASH)) {
      const proof = await verify({ ...(await webProof({ hashAlgorithm })), version: '2.0.0' });
      expect(proof.serverDomain).toBe('a.test');
    }
  });

  it('shows the body of a request decoded, or null when it is not encoded as its headers say', async () => {
    const post = (coding: string, body: Uint8Array) =>
      `POST / HTTP/1.1\r\nHost: a.test\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n${Buffer.from(body).toString('latin1')}`;
    const bodyOf = async (coding: string, body: Uint8Array) => {
      const proof = await verify(await webProof({ request: Buffer.from(post(coding, body), 'latin1') }));
      expect(proof.response.text).toBe('hi');
      return toVerifiedTranscriptV2(proof).request.body;
    };
    const packed = gzipSync('{"a":1}');
    expect(await bodyOf('gzip', packed)).toBe('{"a":1}');
    expect(await bodyOf('gzip', Buffer.from('{"a":1}'))).toBeNull();
    expect(await bodyOf('gzip', packed.subarray(0, -1))).toBeNull();
    expect(await bodyOf('deflate', Buffer.from('x'))).toBeNull();
    expect(await bodyOf('gzip, gzip, gzip, gzip', packed)).toBeNull();
    expect(await bodyOf('compress', packed)).toBeNull();
  });

  it('is not verified when our decoder breaks', async () => {
    const defect = new TypeError('a defect');
    const broken = createVerifyWebProof({
      certificates,
      decoder: { decode: () => Promise.reject(defect) },
      trustedNotaries: createTrustedNotaries([]),
    });
    const request = 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx';
    await expect(broken(await webProof({ request }))).rejects.toBe(defect);
  });

  it('refuses a revealed Host or absolute target of another name on the same certificate', async () => {
    const changed = webProof({ serverName: 'b.test' });
    await expect(verify(await changed)).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringContaining('request is for a.test'),
    });
    const absolute = 'GET https://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n';
    await expect(verify(await webProof({ request: absolute }))).rejects.toThrow(/request is for b.test/);
  });

  it('refuses proofs without identity or transcript', async () => {
    await expect(verify(await webProof({ identity: false }))).rejects.toThrow(/no identity/);
    await expect(verify(await webProof({ transcript: false }))).rejects.toThrow(/no transcript/);
  });
});

describe('what a verified proof is told as', () => {
  it('a header of which the colon is hidden is one line, or a name without value', async () => {
    const proof = await verifiedProof({ hide: 'host: www', host: 'www.a.test' });
    expect(toVerifiedTranscriptV2(proof).request.headers).toEqual(['XXXXXXXXX.a.test']);
    expect(toVerifiedTranscriptV1(proof).request.headers).toEqual([['XXXXXXXXX.a.test', '']]);
  });

  it('a body that nobody can decode is null, hidden or not', async () => {
    const response = 'HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 2\r\n\r\nhi';
    const { response: answer } = await verify(await webProof({ response }));
    expect([answer.text, answer.content]).toEqual([null, null]);
    const empty = await verify(await webProof({ response: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' }));
    expect(empty.response.text).toBeNull();
    expect(empty.response.content).toEqual({ bytes: new Uint8Array(), hidden: [] });
    expect(empty.request.text).toBeNull();
  });
});

describe('a web proof that cannot be read', () => {
  const proof = (data: string) => ({ data, version: '2.0.0' as const, meta: { notaryUrl: 'https://notary.example' } });

  it.each([
    ['f', /: it is not hex digits in pairs\.$/],
    ['zz', /it is not hex digits in pairs/],
    ['0 ', /it is not hex digits in pairs/],
    ['00'.repeat(2 ** 20 + 1), /it is larger than 1048576 bytes/],
  ])('says why: %#', async (data, reason) => {
    const message = expect.stringMatching(reason);
    await expect(verify(proof(data))).rejects.toMatchObject({ code: 'INVALID_PRESENTATION', message });
  });

  it('has a bounded meta', () => {
    const accepts = (meta: unknown) => webProofSchema.safeParse({ data: '', version: '2.0.0', meta }).success;
    const [longest, longer] = ['x'.repeat(2_048), 'x'.repeat(2_049)];
    expect(accepts({ notaryUrl: longest, websocketProxyUrl: longest })).toBe(true);
    expect(accepts({ notaryUrl: '', websocketProxyUrl: null })).toBe(true);
    expect(accepts({ notaryUrl: longer })).toBe(false);
    expect(accepts({ notaryUrl: '', websocketProxyUrl: longer })).toBe(false);
    expect(accepts({ notaryUrl: '', other: 1 })).toBe(false);
  });
});

describe('trusted notaries', () => {
  const fingerprint = 'ab'.repeat(32);

  it('are trusted from the first second of their window, and not in its last', () => {
    const { isTrusted } = createTrustedNotaries([{ fingerprint, validFrom: 100, validUntil: 200 }]);
    expect([99, 100, 199, 200].map((time) => isTrusted(fingerprint, time))).toEqual([false, true, true, false]);
    expect(isTrusted('cd'.repeat(32), 150)).toBe(false);
  });

  it('may have several windows, open ends and dates', () => {
    const { isTrusted } = createTrustedNotaries([
      { fingerprint: fingerprint.toUpperCase(), validUntil: 100 },
      { fingerprint, validFrom: '2026-01-01T00:00:00Z' },
    ]);
    const start = Date.UTC(2026, 0, 1) / 1000;
    expect([0, 100, start - 1, start].map((time) => isTrusted(fingerprint, time))).toEqual([true, false, false, true]);
  });

  it('must be well-formed', () => {
    expect(() => createTrustedNotaries([{ fingerprint: 'abc' }])).toThrow();
    expect(() => createTrustedNotaries([{ fingerprint, validFrom: 5, validUntil: 5 }])).toThrow(
      /validFrom must be before validUntil/,
    );
    for (const wrong of [`${fingerprint}a`, `a${fingerprint}`, fingerprint.replace('b', 'g')]) {
      expect(() => createTrustedNotaries([{ fingerprint: wrong }])).toThrow(
        /SHA-256 fingerprint of a notary key: 64 hex/,
      );
    }
    expect(() => createTrustedNotaries([{ fingerprint, validUntil: Date.now() }])).toThrow(
      /Unix seconds, not milliseconds/,
    );
    const times = [-1, 1.5, '2026-01-01T00:00:00', '2026-01-01'].map((validFrom) => ({ validFrom }));
    for (const entry of [...times, { validUntil: 0 }, { name: 'x'.repeat(201) }, { other: 1 }]) {
      expect(() => createTrustedNotaries([{ fingerprint, ...entry }]), JSON.stringify(entry)).toThrow();
    }
    createTrustedNotaries([{ fingerprint, validFrom: 5, validUntil: 6, name: 'x'.repeat(200) }]);
    const list = Array.from({ length: 10_001 }, () => ({ fingerprint }));
    expect(trustedNotariesSchema.safeParse(list).success).toBe(false);
    expect(trustedNotariesSchema.safeParse(list.slice(1)).success).toBe(true);
  });

  it('take parts of a second for the next one, and any offset', () => {
    const { isTrusted } = createTrustedNotaries([
      { fingerprint, validFrom: '1970-01-01T02:00:09.001+02:00', validUntil: '1970-01-01T00:00:20Z' },
    ]);
    const trusted = [9, 10, 19, 20].filter((time) => isTrusted(fingerprint.toUpperCase(), time));
    expect(trusted).toEqual([10, 19]);
  });
});
