/** Blind proofs by MPC-TLS: seconds by phase, traffic, and the ratio to an attesting notary. */
import type { BlindProgress } from '../../core/web-proof/blind/prove-blind.ts';
import { setUpBlindNotary } from '../support/blind-notary.ts';
import { setUpProving } from '../support/proving.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { realEngines } from '../support/tlsn-engine.ts';
import { type Bench, type BenchRow, MILLISECONDS, SECONDS, type Unit } from './bench.ts';

const MEBIBYTES: Unit = { name: 'MiB', better: 'lower' };
const MIB = 2 ** 20;
/** Of the response's head, and some room. */
const HEAD_BYTES = 160;
const PHASES = ['setup', 'online', 'reveal'] as const;

export const mpcBench: Bench = {
  name: 'mpc',
  title: 'Blind proofs by MPC-TLS against an attesting notary; both parties on this machine',
  async run({ quick, progress }) {
    const authority = createAuthority(issueOracleRoot());
    const attesting = setUpProving(authority);
    const rows: BenchRow[] = [];
    await using blind = await setUpBlindNotary(authority, realEngines(authority.root));
    try {
      for (const size of quick ? [256] : [256, 1_024, 4_096 - HEAD_BYTES]) {
        await using origin = await startOrigin(authority, { answer: jsonAnswer({ pad: 'x'.repeat(size - 10) }) });
        const url = origin.url('/v1/document');
        progress(`${size} B`);
        const steps: BlindProgress[] = [];
        const client = blind.client({ onProgress: (step) => steps.push(step) });
        await blind.prove({ url, maxRecvData: size + HEAD_BYTES }, client);
        await client.close();
        const started = performance.now();
        await attesting.prove({ url });
        const attestingMs = performance.now() - started;
        rows.push(...rowsOf(size, steps, attestingMs));
      }
    } finally {
      await attesting.notary.close();
    }
    return rows;
  },
};

function rowsOf(size: number, steps: readonly BlindProgress[], attestingMs: number): BenchRow[] {
  const at = (phase: BlindProgress['phase']) => steps.findIndex((step) => step.phase === phase);
  const single = (name: string, unit: Unit, figure: number): BenchRow => ({
    name: `${size} B: ${name}`,
    unit,
    figure,
    reference: null,
    ratio: null,
    spread: [figure, figure],
  });
  const phases = PHASES.map((phase) => {
    const index = at(phase);
    return single(phase, SECONDS, (steps[index + 1]?.seconds ?? 0) - (steps[index]?.seconds ?? 0));
  });
  const last = steps.at(-1);
  const totalMs = (last?.seconds ?? 0) * 1_000;
  const ratio = totalMs / attestingMs;
  return [
    ...phases,
    single('to the notary', MEBIBYTES, (last?.sentBytes ?? 0) / MIB),
    single('from the notary', MEBIBYTES, (last?.receivedBytes ?? 0) / MIB),
    {
      name: `${size} B: whole proof`,
      unit: MILLISECONDS,
      figure: totalMs,
      reference: { name: 'attesting notary', figure: attestingMs },
      ratio,
      spread: [ratio, ratio],
    },
  ];
}
