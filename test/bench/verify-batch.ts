/** How long `/healthz` takes while batches of web proofs are verified. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHostProcess } from '../load/host-process.ts';
import { wholeProof } from '../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../support/test-ca.ts';
import { type Bench, MILLISECONDS } from './bench.ts';
import { alone, timed } from './rounds.ts';

const BATCHES = 20;
const KIB = 1024;
const POLL_MS = 5;

export const verifyBatchBench: Bench = {
  name: 'verify-batch',
  title: `/healthz while ${BATCHES} batches of 32 web proofs are verified`,
  async run({ quick, progress }) {
    const root = issueRoot();
    const leaf = issueLeaf(root, ['a.test']);
    const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
    try {
      const roots = join(directory, 'roots.pem');
      await writeFile(roots, root.pem);
      await using host = await startHostProcess({ SERVICES: 'web-prover', TLS_EXTRA_CA_FILE: roots });
      const [rounds, batches, proofs, sizes] = quick ? [1, 2, 2, [1]] : [3, BATCHES, 32, [1, 8, 16, 28]];
      const rows = [];
      for (const size of sizes) {
        const bytes = new TextEncoder().encode(answerOf(size * KIB));
        const sent = new TextEncoder().encode('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n');
        const proof = await wholeProof({ serverName: 'a.test', leaf, sent, received: bytes, seed: 1 });
        const body = new TextEncoder().encode(JSON.stringify({ proofs: Array(proofs).fill(proof) }));
        const p99s: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          progress(`${size} KB, round ${round + 1}`);
          p99s.push(await p99While(host.baseUrl, verifyAll(host, body, batches)));
        }
        const aim = { of: 'figure', atMost: 100 } as const;
        rows.push(alone({ name: `p99 of /healthz, proofs of ${size} KB`, unit: MILLISECONDS, aim }, p99s));
      }
      return rows;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

type Host = Awaited<ReturnType<typeof startHostProcess>>;

/** Written once and read by nobody: what this process does must not hold up its own polls. */
async function verifyAll({ baseUrl, token }: Host, body: Uint8Array<ArrayBuffer>, batches: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const verify = async () => {
    const answer = await fetch(`${baseUrl}/api/v2.0/verify-batch`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`A batch was answered ${answer.status}.`);
    for await (const _chunk of answer.body ?? []);
  };
  await Promise.all(Array.from({ length: batches }, verify));
}

async function p99While(baseUrl: string, work: Promise<void>): Promise<number> {
  let busy = true;
  const done = work.finally(() => {
    busy = false;
  });
  const times: number[] = [];
  const polls: Promise<unknown>[] = [];
  do {
    // Whether or not the last one is answered: nobody waits for their turn to be held up.
    polls.push(timed(() => fetch(`${baseUrl}/healthz`).then((answer) => answer.text())).then((ms) => times.push(ms)));
    await sleep(POLL_MS);
  } while (busy);
  await Promise.all([...polls, done]);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

function answerOf(bytes: number): string {
  const body = JSON.stringify({ text: 'x'.repeat(bytes) });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
