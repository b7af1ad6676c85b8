/** Proving against a plain request, and verifying against the official verifier. */
import { request } from 'node:https';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, jsonAnswer, ORIGIN_NAME, startOrigin } from '../support/tls-origin.ts';
import { createOracle, issueOracleRoot } from '../support/tlsn-oracle.ts';
import { type Bench, type BenchRow, MILLISECONDS } from './bench.ts';
import { sideBySide, timedEach } from './rounds.ts';

const KIB = 1024;

export const webProofBench: Bench = {
  name: 'webproof',
  title: 'Web proofs: prove against a bare HTTPS request, verify against tlsn-wasm',
  async run({ quick, progress }) {
    const root = issueOracleRoot();
    const authority = createAuthority(root);
    const oracle = createOracle(root);
    const { notary, prove, verify } = setUpProving(authority);
    const [rounds, calls, warmUp] = quick ? [1, 1, 1] : [9, 10, 50];
    const rows: BenchRow[] = [];
    try {
      await using origin = await startOrigin(authority);
      progress('warm up');
      for (let call = 0; call < warmUp; call += 1) await verify(await prove({ url: origin.url() }));
      for (const size of [1, 16, 90]) {
        const answer = jsonAnswer(documentOf(size));
        await using origin = await startOrigin(authority, { answer });
        // One byte more than the whole answer does no harm; 90 KiB is the most that may be asked for.
        const body = { url: origin.url('/v1/document'), maxRecvData: 90 * KIB };
        progress(`prove ${size} KB`);
        rows.push(
          await sideBySide({
            name: `prove, ${size} KB`,
            unit: MILLISECONDS,
            subject: () => timedEach(calls, () => prove(body)),
            reference: {
              name: 'bare https request',
              measure: () => timedEach(calls, () => fetchOnce(origin.port, authority.root.pem)),
            },
            rounds,
            ...(size === 16 ? { aim: { of: 'difference', atMost: 10 } } : {}),
          }),
        );
        const proof = await prove(body);
        const bytes = Buffer.from(proof.data, 'hex');
        const verdict = await oracle(bytes);
        if (!verdict.accepted) throw new Error(`The official verifier refuses the proof: ${verdict.reason}`);
        progress(`verify ${size} KB`);
        rows.push(
          await sideBySide({
            name: `verify, ${size} KB`,
            unit: MILLISECONDS,
            subject: () => timedEach(calls, () => verify(proof)),
            reference: { name: 'tlsn-wasm', measure: () => timedEach(calls, () => oracle(bytes)) },
            rounds,
            aim: { of: 'ratio', atMost: 1 },
          }),
        );
      }
      return rows;
    } finally {
      await notary.close();
    }
  },
};

/** A JSON document whose answer, head included, has about so many KiB. */
function documentOf(kib: number): unknown {
  const entry = { id: 123_456, name: 'An entry of the list', price: '3500.50', tags: ['one', 'two'] };
  const room = kib * KIB - 200;
  return { entries: Array.from({ length: Math.floor(room / (JSON.stringify(entry).length + 1)) }, () => entry) };
}

/** On a connection of its own, as a proof is; TLS 1.2, as proofs are. */
function fetchOnce(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        servername: ORIGIN_NAME,
        port,
        path: '/v1/document',
        ca,
        agent: false,
        maxVersion: 'TLSv1.2',
        headers: { host: `${ORIGIN_NAME}:${port}` },
      },
      (response) => {
        response.resume();
        response.once('end', resolve);
        response.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end();
  });
}
