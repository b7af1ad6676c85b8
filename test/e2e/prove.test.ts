import { createServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { notarizeRequestSchema } from '../../core/web-proof/prove-request.ts';
import { decodePresentation } from '../../core/web-proof/tlsnotary/decode.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import type { VerifiedWebProof } from '../../core/web-proof/verify.ts';
import { listen } from '../support/listen.ts';
import { setUpProving } from '../support/proving.ts';
import { CLIENT_AUTH, type IssueOptions, issue, issueIntermediate, issueLeaf, newKey } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, ORIGIN_NAME, type OriginOptions, startOrigin } from '../support/tls-origin.ts';
import { startTampering } from '../support/tls-tampering.ts';
import { isUnprovable } from '../support/unprovable.ts';

const authority = createAuthority();
const { prove, verify, proveAndVerify } = setUpProving(authority);

/** Proves one request against an origin that answers so, and verifies the proof. */
async function exchange(
  answer: OriginOptions['answer'],
  body: Record<string, unknown> = {},
): Promise<VerifiedWebProof> {
  await using origin = await startOrigin(authority, { answer });
  return await proveAndVerify({ url: origin.url('/path?q=1'), ...body });
}

const APPLICATION_DATA = 23;
const flipAt = (at: number) => (byte: number, index: number) => (index === at ? byte ^ 1 : byte);

/** The bytes with one run replaced by another of the same length. */
function replaced(bytes: Uint8Array, from: readonly number[], to: readonly number[]): Uint8Array {
  const at = Buffer.from(bytes).indexOf(Uint8Array.from(from));
  if (at === -1) return bytes;
  const copy = Uint8Array.from(bytes);
  copy.set(to, at);
  return copy;
}

const sentText = (proof: VerifiedWebProof) => Buffer.from(proof.request.raw).toString();
const receivedText = (proof: VerifiedWebProof) => Buffer.from(proof.response.raw).toString();

describe('what is sent and what comes back', () => {
  it('is in the proof, byte for byte', async () => {
    await using origin = await startOrigin(authority, { answer: jsonAnswer({ price: '3500.50', n: 7 }) });
    const before = Math.floor(Date.now() / 1000);
    const proof = await proveAndVerify({
      url: origin.url('/api?symbol=ETH#top'),
      headers: ['Accept: */*', 'X-Own:  v '],
    });
    expect(proof.serverDomain).toBe(ORIGIN_NAME);
    expect(proof.notaryTrusted).toBe(true);
    expect(proof.hostConfirmed).toBe(true);
    expect(proof.url).toBe(origin.url('/api?symbol=ETH'));
    expect(proof.tlsTimestamp).toBeGreaterThanOrEqual(before);
    expect(sentText(proof)).toBe(
      `GET /api?symbol=ETH HTTP/1.1\r\naccept: */*\r\nx-own: v\r\nconnection: close\r\nhost: ${ORIGIN_NAME}:${origin.port}\r\naccept-encoding: identity\r\n\r\n`,
    );
    expect(receivedText(proof)).toBe(jsonAnswer({ price: '3500.50', n: 7 }));
    expect(proof.request.text).toBeNull();
    expect(proof.response.text).toBe('{"price":"3500.50","n":7}');
  });

  it('binds the proof to the server when Host is hidden, and keeps the port', async () => {
    const leaf = authority.leaf({ dns: [ORIGIN_NAME, 'victim.test'] });
    await using origin = await startOrigin(authority, { certificate: leaf });
    const proof = await prove({ url: origin.url('/x'), redaction: [{ request: { headers: ['host'] } }] });
    expect(await verify(proof)).toMatchObject({ hostConfirmed: true, url: origin.url('/x') });
    const presentation = decodePresentation(Buffer.from(proof.data, 'hex'));
    if (presentation.identity === null) throw new Error('the proof has no identity');
    const rewritten = { ...presentation, identity: { ...presentation.identity, name: 'victim.test' } };
    const data = Buffer.from(encodePresentation(rewritten)).toString('hex');
    const message =
      /^Verification failed: the notary signed the server origin\.test, but the server is said to be victim\.test\.$/;
    await isUnprovable(verify({ ...proof, data }), message);
  });

  it.each(['GET', 'POST'])('%s carries a body', async (method) => {
    const proof = await exchange(jsonAnswer({ ok: true }), { method, body: '{"żółć":"🚀"}' });
    expect(proof.request.method).toBe(method);
    expect(proof.request.text).toBe('{"żółć":"🚀"}');
    expect(sentText(proof)).toContain('\r\ncontent-length: 19\r\n');
    expect(proof.response.text).toBe('{"ok":true}');
  });

  it('HEAD has no body, whatever length is declared', async () => {
    const proof = await exchange('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', { method: 'HEAD' });
    expect(proof.response.status).toBe(200);
    expect(proof.response.text).toBeNull();
  });

  it('CONNECT names the authority, reads the head and never tunnels', async () => {
    await using origin = await startOrigin(authority, {
      answer: (_request, socket) => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        return 'keepOpen';
      },
    });
    const proof = await proveAndVerify({ url: origin.url('/ignored'), method: 'CONNECT' });
    expect(sentText(proof)).toMatch(new RegExp(`^CONNECT ${ORIGIN_NAME}:${origin.port} HTTP/1.1\r\n`));
    expect(proof.response.text).toBeNull();
    const refused = await exchange('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 2\r\n\r\nno', {
      method: 'CONNECT',
    });
    expect(refused.response).toMatchObject({ status: 405, text: 'no' });
  });

  it('CONNECT leaves out what a tunnel brings together with the head', async () => {
    const head = 'HTTP/1.1 200 Connection established\r\nContent-Length: 9\r\n\r\n';
    const proof = await exchange(`${head}220 smtp.test\r\n`, { method: 'CONNECT' });
    expect(proof.response).toMatchObject({ status: 200, text: null });
    expect(Buffer.from(proof.response.raw).toString()).toBe(head);
  });

  it.each([
    ['HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone', 404, 'none'],
    ['HTTP/1.1 204 No Content\r\n\r\n', 204, null],
    [
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
      200,
      'hi',
    ],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n',
      200,
      'abcde',
    ],
    ['HTTP/1.1 200 OK\r\n\r\nuntil the end', 200, 'until the end'],
  ])('proves %j', async (answer, status, text) => {
    const proof = await exchange(answer);
    expect(proof.response).toMatchObject({ status, text });
    expect(receivedText(proof)).toBe(answer);
  });

  it('does not follow a redirect', async () => {
    await using origin = await startOrigin(authority, {
      answer: 'HTTP/1.1 302 Found\r\nLocation: https://other.test/\r\nContent-Length: 0\r\n\r\n',
    });
    const proof = await proveAndVerify({ url: origin.url() });
    expect(proof.response.status).toBe(302);
    expect(origin.connections()).toBe(1);
  });

  it('takes an answer that comes byte by byte, on a connection that the server keeps', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n';
    const slow: OriginOptions['answer'] = (_request, socket) => {
      socket.setNoDelay(true);
      let at = 0;
      const next = () => {
        if (at === answer.length) return;
        socket.write(answer[at] ?? '', next);
        at += 1;
      };
      next();
      return 'keepOpen';
    };
    expect((await exchange(slow)).response.text).toBe('0123456789abcdef');
  });

  it('decodes what the caller asked to be compressed', async () => {
    const body = gzipSync('{"a":1}');
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    const proof = await exchange(Buffer.concat([Buffer.from(head), body]), { headers: ['accept-encoding: gzip'] });
    expect(sentText(proof)).not.toContain('identity');
    expect(proof.response.text).toBe('{"a":1}');
  });
});

describe('a certificate of another name', () => {
  it('is no part of what is logged: its server chooses how large it is', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `name-${n}.other.test`);
    await using origin = await startOrigin(authority, { certificate: authority.leaf({ dns: names }) });
    const failure = await prove({ url: origin.url() }).catch((error: Error) => error);
    const { cause } = failure as { cause: Error };
    expect(cause).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(JSON.stringify({ ...cause, message: cause.message }).length).toBeLessThan(500);
  });
});

/** A proof from a server that does this with its connections, on TCP alone. */
async function proveAgainst(answer: (socket: Socket) => unknown) {
  const server = createServer((socket) => void answer(socket.on('error', () => {})));
  await using listening = await listen(server);
  return await prove({ url: `https://${ORIGIN_NAME}:${listening.port}/` });
}

describe('servers that cannot be proven', () => {
  const fromNow = (days: number) => new Date(Date.now() + days * 86_400_000);
  const leaf = (of: Parameters<typeof authority.leaf>[0]) => ({ certificate: authority.leaf(of) });
  const own = (of: Partial<IssueOptions>) => ({
    certificate: issue({ subject: { commonName: 'Own' }, dns: [ORIGIN_NAME], ...of }),
  });
  const issuer = authority.intermediate;
  const other = createAuthority();
  const nameConstraints = { permitted: [[2, 'other.test']] } as const;
  const constrained = issueIntermediate(authority.root, { nameConstraints });
  const speaking = (tls: TlsOptions) => ({ tls, ...leaf({ kind: 'rsa' }) });
  const maxVersion = 'TLSv1.2';
  it.each<[string, OriginOptions, RegExp]>([
    ['an expired certificate', leaf({ notBefore: fromNow(-2), notAfter: fromNow(-1) }), /has expired/],
    ['one not yet valid', leaf({ notBefore: fromNow(1) }), /not valid yet/],
    ['one of another name', leaf({ dns: ['other.test'] }), /another name/],
    ['a self-signed one', { ...own({}), chain: [] }, /self-signed/],
    ['one without its intermediate', { chain: [] }, /intermediate/],
    [
      'one of another authority',
      { certificate: other.leaf(), chain: [other.intermediate.pem, other.root.pem] },
      /not trusted/,
    ],
    ['one for clients only', own({ issuer, extendedKeyUsage: [CLIENT_AUTH] }), /not for TLS servers/],
    [
      'one of an authority that may not vouch for its name',
      { certificate: issueLeaf(constrained, [ORIGIN_NAME]), chain: [constrained.pem] },
      /its certificate is refused.* may not vouch/,
    ],
    [
      'a key on P-521',
      own({ issuer, key: newKey('p521') }),
      /a key on secp521r1, which this proof format does not know/,
    ],
    ['TLS 1.3 only', speaking({ minVersion: 'TLSv1.3' }), /no TLS 1\.2/],
    ['no P-256', speaking({ ecdhCurve: 'P-384', maxVersion }), /P-256/],
    [
      'X25519 only',
      speaking({ ecdhCurve: 'X25519', maxVersion }),
      /no key exchange over P-256, but such as over X25519/,
    ],
    ['HTTP/2 only', speaking({ ALPNProtocols: ['h2'] }), /HTTP\/1\.1/],
    ['client certificates only', speaking({ requestCert: true, maxVersion }), /client certificate/],
    ['static RSA only', speaking({ ciphers: 'AES128-GCM-SHA256', maxVersion }), /TLS_RSA_WITH_AES_128_GCM_SHA256; /],
    [
      'ChaCha20 only',
      speaking({ ciphers: 'ECDHE-RSA-CHACHA20-POLY1305', maxVersion }),
      /AES-GCM, but such as TLS_.*CHACHA20/,
    ],
    ['CBC only', speaking({ ciphers: 'ECDHE-RSA-AES128-SHA', maxVersion }), /AES-GCM, but such as TLS_.*CBC_SHA/],
    [
      'SHA-1 signatures only',
      speaking({ sigalgs: 'RSA+SHA1', ciphers: 'ALL:@SECLEVEL=0', maxVersion }),
      /handshake|signs/,
    ],
  ])('%s, and they are sent nothing', async (_what, options, message) => {
    await using origin = await startOrigin(authority, options);
    await isUnprovable(prove({ url: origin.url() }), message);
    expect(origin.requests).toHaveLength(0);
  });

  it('more certificates than a proof holds', async () => {
    const others = Array.from({ length: 8 }, () => authority.leaf().pem);
    await using origin = await startOrigin(authority, { chain: [authority.intermediate.pem, ...others] });
    const message =
      /^origin\.test cannot be proven: the server sends 10 certificates, but a proof holds at most 8: shorten its chain\.$/;
    await isUnprovable(prove({ url: origin.url() }), message);
    expect(origin.requests).toHaveLength(0);
    await using enough = await startOrigin(authority, { chain: [authority.intermediate.pem, ...others.slice(2)] });
    expect((await proveAndVerify({ url: enough.url() })).response.status).toBe(200);
  });

  it('more bytes of certificates than TLS clients read', async () => {
    const dns = [ORIGIN_NAME, ...Array.from({ length: 2_000 }, (_, i) => `${'a'.repeat(60)}${i}.test`)];
    const chain = [authority.intermediate.pem, authority.leaf({ dns }).pem];
    await using origin = await startOrigin(authority, { chain });
    await isUnprovable(prove({ url: origin.url() }), /more certificates than a proof can hold|more than \d+ bytes/);
  });

  it('TLS 1.3 only, said by no more than a failed handshake', async () => {
    await using origin = await startOrigin(authority, { tls: { minVersion: 'TLSv1.3' } });
    // As GnuTLS answers: a fatal alert 40 (handshake failure) for 70 (protocol version). With the length of the alert before
    // it, since encrypted bytes may well hold the last two.
    await using proxy = await startTampering(origin, {
      fromServer: (bytes) => replaced(bytes, [0, 2, 2, 0x46], [0, 2, 2, 0x28]),
    });
    await isUnprovable(prove({ url: proxy.url }), /the server offers no TLS 1\.2; /);
  });

  it('nobody listens', async () => {
    const origin = await startOrigin(authority);
    await origin[Symbol.asyncDispose]();
    await isUnprovable(prove({ url: origin.url() }), /ECONNREFUSED/);
  });

  it('ends the connection in the handshake', async () => {
    await isUnprovable(
      proveAgainst((socket) => socket.once('data', () => socket.end())),
      /ended the connection in the TLS handshake/,
    );
  });

  it('does not speak TLS', async () => {
    await isUnprovable(
      proveAgainst((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      /./,
    );
  });
});

describe('connections that are tampered with', () => {
  it('end at the first record whose integrity check fails', async () => {
    await using origin = await startOrigin(authority, { answer: jsonAnswer({ secret: 'x'.repeat(200) }) });
    await using proxy = await startTampering(origin, {
      fromServer: (bytes) => (bytes[0] === APPLICATION_DATA ? Uint8Array.from(bytes, flipAt(20)) : bytes),
    });
    await isUnprovable(
      prove({ url: proxy.url }),
      /a TLS record failed its integrity check \(MAC\).*before the answer was complete/,
    );
  });

  it('end when the server finds that a record of ours was changed', async () => {
    await using origin = await startOrigin(authority);
    await using proxy = await startTampering(origin, {
      fromClient: (bytes) => (bytes[0] === APPLICATION_DATA ? Uint8Array.from(bytes, flipAt(20)) : bytes),
    });
    await isUnprovable(prove({ url: proxy.url }), /integrity check \(MAC\)|before (its|the) answer was complete/);
    expect(origin.requests).toHaveLength(0);
  });

  it('are made again with P-384 when a certificate on it comes uncalled for', async () => {
    await using origin = await startOrigin(authority, { certificate: authority.leaf({ kind: 'p384' }) });
    // As Go and GnuTLS: the certificate's curve does not depend on the groups that the client offers.
    await using proxy = await startTampering(origin, {
      fromClient: (bytes) => replaced(bytes, [0, 0x0a, 0, 4, 0, 2, 0, 0x17], [0, 0x0a, 0, 4, 0, 2, 0, 0x18]),
    });
    expect((await proveAndVerify({ url: proxy.url })).response.status).toBe(200);
    expect(origin.connections()).toBe(2);
  });
});

describe('answers that cannot be proven', () => {
  const UNREAD = /^Transcript parsing failed: response|before its answer was complete/;
  it.each([
    ['both lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', UNREAD],
    ['bytes behind the end', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc', UNREAD],
    ['an early end', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc', UNREAD],
    ['an early end of chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', UNREAD],
    ['nothing', '', UNREAD],
    [
      'bare LF at the end of a header',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nhi',
      /^Transcript parsing failed: response: a line does not end with CRLF \(at byte \d+\)/,
    ],
  ])('%s', (_what, answer, message) => isUnprovable(exchange(answer), message));

  it('a cut connection is not an end of the body', async () => {
    const cut: OriginOptions['answer'] = (_request, socket) => {
      // The TCP connection ends without TLS saying so.
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => setTimeout(() => socket.destroy(), 20));
      return 'keepOpen';
    };
    await isUnprovable(exchange(cut), /before (its|the) answer was complete|ECONNRESET/);
  });
});

describe('limits', () => {
  const sized = (total: number) => {
    const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
    const length = total - head(total).length;
    return `${head(length)}${'x'.repeat(total - head(length).length)}`;
  };

  it('maxRecvData counts every byte of the answer', async () => {
    expect((await exchange(sized(5_000), { maxRecvData: 5_000 })).response.raw).toHaveLength(5_000);
    await isUnprovable(exchange(sized(5_001), { maxRecvData: 5_000 }), /maxRecvData \(5000 bytes\)/);
  });

  it('is 92,160 bytes when nothing is said', async () => {
    expect((await exchange(sized(92_160))).response.raw).toHaveLength(92_160);
    await isUnprovable(
      exchange(sized(92_161)),
      /the most that can be proven \(maxRecvData: 92160 bytes\); ask for less\.$/,
    );
  });

  it('an endless answer ends at the limit', async () => {
    const endless: OriginOptions['answer'] = (_request, socket) => {
      const more = () => {
        if (!socket.destroyed) socket.write(Buffer.alloc(16_384, 'x'), more);
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n', more);
      return 'keepOpen';
    };
    await isUnprovable(exchange(endless), /maxRecvData/);
  });

  it('a server that goes silent meets the deadline', async () => {
    const impatient = setUpProving(authority, { timeoutMs: 150 });
    const silent: OriginOptions['answer'] = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n');
      return 'keepOpen';
    };
    await using origin = await startOrigin(authority, { answer: silent });
    await isUnprovable(impatient.prove({ url: origin.url() }), /within 0\.15 seconds/);
  });

  it('bounds what waits', async () => {
    const narrow = setUpProving(authority, { concurrency: 1, maxQueued: 1 });
    await using origin = await startOrigin(authority);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => narrow.prove({ url: origin.url() })));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[2]).toMatchObject({
      reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: expect.any(Number) },
    });
  });

  it('bounds how long a request waits', async () => {
    const impatient = setUpProving(authority, { concurrency: 1, maxWaitMs: 50 });
    await using hanging = await startOrigin(authority, { answer: () => 'keepOpen' });
    const leaving = new AbortController();
    const hangs = impatient.notary.notarize(notarizeRequestSchema.parse({ url: hanging.url() }), leaving.signal);
    await expect(impatient.prove({ url: hanging.url() })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('busy'),
      retryAfterSeconds: expect.any(Number),
    });
    leaving.abort(new Error('left'));
    await expect(hangs).rejects.toThrow('left');
  });
});

describe('targets', () => {
  it('says when the name servers of a host do not answer', async () => {
    const guard = createEgressGuard({ lookup: () => new Promise(() => {}), lookupTimeoutMs: 5 });
    const { prove } = setUpProving(authority, { guard });
    await expect(prove({ url: 'https://slow.test/' })).rejects.toMatchObject({
      code: 'NAME_LOOKUP_TIMEOUT',
      message: 'The name servers of slow.test did not answer in time; try again later.',
    });
  });
});
