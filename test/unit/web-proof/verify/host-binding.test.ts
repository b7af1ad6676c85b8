import { describe, expect, it } from 'vitest';
import { hostProblem, serverExtension, signedServer } from '../../../../core/web-proof/host-binding.ts';
import type { Extension, Presentation } from '../../../../core/web-proof/tlsnotary/presentation.ts';
import { unmarked } from '../../../support/hidden-parts.ts';
import { asWebProof, wholePresentation } from '../../../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../../../support/test-ca.ts';
import { testVerifier } from '../../../support/verifier.ts';

const root = issueRoot();
/** One certificate for both names, as hosters with customers' subdomains have it. */
const leaf = issueLeaf(root, ['mallory.hoster.test', 'victim.hoster.test', '*.hoster.test']);
const { verify } = testVerifier(root);
const RESPONSE = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
const mallory = serverExtension({ name: 'mallory.hoster.test', port: 443 });

interface Script {
  /** What stands between « and » is hidden. */
  readonly head?: string;
  readonly extensions?: readonly Extension[];
  readonly serverName?: string;
  readonly seed?: number;
}

function presentationOf({ seed = 3, ...script }: Script = {}): Promise<Presentation> {
  const { bytes: sent, hidden } = unmarked(script.head ?? 'GET /x HTTP/1.1\r\nHost: «mallory.hoster.test»\r\n\r\n');
  const { serverName = 'mallory.hoster.test', extensions = [mallory] } = script;
  return wholePresentation({ leaf, serverName, sent, received: Uint8Array.from(RESPONSE), hidden, extensions, seed });
}

const verified = (presentation: Presentation) => verify(asWebProof(presentation));
const renamed = (presentation: Presentation, name: string): Presentation => {
  if (presentation.identity === null) throw new Error('no identity');
  return { ...presentation, identity: { ...presentation.identity, name } };
};
const withExtensions = (presentation: Presentation, values: readonly Extension[]): Presentation => {
  const first = presentation.body.extensions[0]?.id ?? 4;
  const extensions = values.map((value, i) => ({ id: first + i, value }));
  const commitments = presentation.body.transcriptCommitments.map(({ value }, i) => ({
    id: first + values.length + i,
    value,
  }));
  const leafCount = first + values.length + commitments.length;
  return {
    ...presentation,
    body: { ...presentation.body, extensions, transcriptCommitments: commitments },
    bodyProof: { ...presentation.bodyProof, leafCount },
  };
};

describe('the server that the notary signed', () => {
  it('cannot be left out, or taken from another attestation', async () => {
    const rewritten = renamed(await presentationOf(), 'victim.hoster.test');
    const victim = serverExtension({ name: 'victim.hoster.test', port: 443 });
    for (const extensions of [[], [victim], [mallory, victim], [{ ...mallory, id: Uint8Array.of(1) }]]) {
      await expect(verified(withExtensions(rewritten, extensions))).rejects.toThrow(
        /does not match the root in the signed header/,
      );
    }
    // The same helper leaves a sound proof sound.
    expect((await verified(withExtensions(await presentationOf(), [mallory]))).hostConfirmed).toBe(true);
  });

  it('must be the one that a visible request names, port included', async () => {
    const at = (port: number) => [serverExtension({ name: 'mallory.hoster.test', port })];
    const request = (line: string, host: string) => `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const visible = [
      [request('GET /', 'mallory.hoster.test'), 443],
      [request('GET /', 'mallory.hoster.test:443'), 443],
      [request('GET /', 'mallory.hoster.test:8443'), 8443],
      [request('GET https://mallory.hoster.test:8443/', 'mallory.hoster.test:8443'), 8443],
    ] as const;
    for (const [head, port] of visible) {
      expect((await verified(await presentationOf({ head, extensions: at(port) }))).hostConfirmed).toBe(true);
      await expect(verified(await presentationOf({ head, extensions: at(444) }))).rejects.toThrow(/signed port 444/);
    }
    const absolute = request('GET https://mallory.hoster.test/', '«mallory.hoster.test:8443»');
    await expect(verified(await presentationOf({ head: absolute, extensions: at(8443) }))).rejects.toThrow(
      /request is for port 443/,
    );
  });

  it('is refused if it is malformed or there twice', async () => {
    const value = (text: string) => ({ ...mallory, value: Uint8Array.from(Buffer.from(text, 'latin1')) });
    const ports = ['', ':', ':0', ':0443', ':65536', ':443 ', '.:443'].map((port) => `mallory.hoster.test${port}`);
    for (const text of ['', ...ports, 'Mallory.hoster.test:443', '127.0.0.1:443', '\xff:443']) {
      expect(() => signedServer([value(text)])).toThrow('the signed server is not a name and a port');
    }
    expect(() => signedServer([mallory, mallory])).toThrow('the notary signed more than one server');
    await expect(verified(await presentationOf({ extensions: [mallory, mallory] }))).rejects.toThrow(/more than one/);
    expect(signedServer([{ id: Uint8Array.of(1), value: Uint8Array.of(2) }])).toBeNull();
    expect(signedServer([value('a.test:65535')])).toEqual({ name: 'a.test', port: 65_535 });
  });
});

describe('the host of a proof of another notary', () => {
  const confirmed = async (head: string) =>
    (await verified(await presentationOf({ head, extensions: [] }))).hostConfirmed;

  it.each([
    ['hidden', 'GET / HTTP/1.1\r\nHost: «mallory.hoster.test»\r\n\r\n'],
    ['beside a hidden header', 'GET / HTTP/1.1\r\n«Host: victim.hoster.test»\r\nHost: mallory.hoster.test\r\n\r\n'],
    ['missing', 'GET / HTTP/1.0\r\n\r\n'],
    [
      'hidden behind an absolute target',
      'GET https://mallory.hoster.test/ HTTP/1.1\r\nHost: «mallory.hoster.test»\r\n\r\n',
    ],
    ['told by a header like it', 'GET / HTTP/1.1\r\nX-Forwarded-Host: mallory.hoster.test\r\nHost: «m»\r\n\r\n'],
  ])('is not confirmed by a Host that is %s', async (_, head) => {
    const proof = await verified(await presentationOf({ head, extensions: [] }));
    expect(proof.hostConfirmed).toBe(false);
    expect(hostProblem(proof)).toMatch(/shows the Host header, all header names and the beginning of the URL/);
    // Nothing tells the names of the certificate apart then.
    if (!head.includes('https://') && !head.includes('\nHost: mallory')) {
      const rewritten = await verified(
        await presentationOf({ head, extensions: [], serverName: 'victim.hoster.test' }),
      );
      expect(rewritten).toMatchObject({ serverDomain: 'victim.hoster.test', hostConfirmed: false });
    }
  });

  it('is refused if two lines name it, or a pseudo-header does', async () => {
    const two = 'GET / HTTP/1.1\r\nHost: mallory.hoster.test\r\nHost: «victim.hoster.test»\r\n\r\n';
    await expect(confirmed(two)).rejects.toThrow(/more than one Host/);
    const pseudo = 'GET / HTTP/1.1\r\n:authority: mallory.hoster.test\r\n\r\n';
    await expect(confirmed(pseudo)).rejects.toThrow(/header name is not a token/);
  });

  it('is no problem when it is confirmed', () => {
    expect(hostProblem({ hostConfirmed: true })).toBeNull();
  });
});
