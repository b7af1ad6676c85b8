/** Blind proofs by MPC-TLS, with and without a ready session: time, processor time and memory of both parties, and traffic. */
import { silentLogger } from '../../core/ports/logger.ts';
import type { BlindProgress } from '../../core/web-proof/blind/prove-blind.ts';
import { setUpBlindNotary } from '../support/blind-notary.ts';
import { setUpProving } from '../support/proving.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { realEngines } from '../support/tlsn-engine.ts';
import { type Aim, type Bench, type BenchRow, MILLISECONDS, SECONDS, type Unit } from './bench.ts';
import { type PartiesUsage, watchEngines } from './engine-usage.ts';

const MEBIBYTES: Unit = { name: 'MiB', better: 'lower' };
const CPU_SECONDS: Unit = { name: 'CPU s', better: 'lower' };
const MIB = 2 ** 20;
/** Of the response's head, and some room. */
const HEAD_BYTES = 160;
const KILOBYTE = 1_024;
const SIZES = [256, KILOBYTE, 4 * KILOBYTE - HEAD_BYTES];
const PHASES = ['setup', 'online', 'reveal'] as const;
const PARTIES = ['prover', 'notary'] as const;
const READY_TIMEOUT_MS = 600_000;

const atMost = (most: number): Aim => ({ of: 'figure', atMost: most });
const READY_AIM = atMost(8);
const NOTARY_AIMS = { cpu: atMost(20), memory: atMost(512) };

/** A proof's progress, with what the engines had used by then. */
type Step = BlindProgress & { readonly usage: PartiesUsage };

export const mpcBench: Bench = {
  name: 'mpc',
  title: 'Blind proofs by MPC-TLS against an attesting notary; both parties on this machine',
  async run({ quick, progress }) {
    const authority = createAuthority(issueOracleRoot());
    const attesting = setUpProving(authority);
    const rows: BenchRow[] = [];
    const engines = watchEngines(realEngines(authority.root));
    await using blind = await setUpBlindNotary(authority, engines);
    try {
      for (const size of quick ? SIZES.slice(0, 1) : SIZES) {
        await using origin = await startOrigin(authority, { answer: jsonAnswer({ pad: 'x'.repeat(size - 10) }) });
        const url = origin.url('/v1/document');
        let steps: Step[] = [];
        const ready = Promise.withResolvers<void>();
        const client = blind.client({
          readySessions: 1,
          maxRecvData: size + HEAD_BYTES,
          onProgress: (step) => steps.push({ ...step, usage: engines.usage() }),
          logger: { ...silentLogger, debug: (fields) => 'ready' in fields && ready.resolve() },
        });
        const prove = async () => {
          steps = [];
          await blind.prove({ url }, client);
          return steps;
        };
        progress(`${size} B`);
        const cold = await prove();
        const coldUsage = engines.usage();
        progress(`${size} B, with a ready session`);
        await Promise.race([ready.promise, late()]);
        const warm = await prove();
        await client.close();
        const started = performance.now();
        await attesting.prove({ url });
        const attestingMs = performance.now() - started;
        rows.push(...coldRows(size, cold, coldUsage, attestingMs), ...warmRows(size, warm, attestingMs));
      }
    } finally {
      await attesting.notary.close();
    }
    return rows;
  },
};

async function late(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, READY_TIMEOUT_MS).unref());
  throw new Error('no blind session was set up ahead');
}

function coldRows(size: number, steps: readonly Step[], usage: PartiesUsage, attestingMs: number): BenchRow[] {
  const last = steps.at(-1);
  const cpu = PARTIES.flatMap((party) => [
    ...PHASES.map((phase) => single(`${size} B: ${phase}, ${party}`, CPU_SECONDS, cpuOf(steps, phase, party))),
    single(
      `${size} B: ${party}`,
      CPU_SECONDS,
      usage[party].cpuSeconds,
      party === 'notary' ? NOTARY_AIMS.cpu : undefined,
    ),
  ]);
  const memory = PARTIES.map((party) =>
    single(
      `${size} B: peak memory, ${party}`,
      MEBIBYTES,
      usage[party].peakMiB,
      party === 'notary' ? NOTARY_AIMS.memory : undefined,
    ),
  );
  return [
    ...PHASES.map((phase) => single(`${size} B: ${phase}`, SECONDS, secondsOf(steps, phase))),
    ...cpu,
    ...memory,
    single(`${size} B: to the notary`, MEBIBYTES, (last?.sentBytes ?? 0) / MIB),
    single(`${size} B: from the notary`, MEBIBYTES, (last?.receivedBytes ?? 0) / MIB),
    whole(`${size} B: whole proof`, steps, attestingMs),
  ];
}

function warmRows(size: number, steps: readonly Step[], attestingMs: number): BenchRow[] {
  const aim = size === KILOBYTE ? READY_AIM : undefined;
  return [
    single(`${size} B, ready session: online`, SECONDS, secondsOf(steps, 'online'), aim),
    single(`${size} B, ready session: reveal`, SECONDS, secondsOf(steps, 'reveal')),
    ...PARTIES.map((party) =>
      single(`${size} B, ready session: online, ${party}`, CPU_SECONDS, cpuOf(steps, 'online', party)),
    ),
    whole(`${size} B, ready session: whole proof`, steps, attestingMs),
  ];
}

/** The step that begins a phase, and the one that ends it. */
function around(steps: readonly Step[], phase: (typeof PHASES)[number]): readonly [Step, Step] {
  const at = steps.findIndex((step) => step.phase === phase);
  const [begin, end] = steps.slice(at);
  if (begin === undefined || end === undefined) throw new Error(`the proof had no phase ${phase}`);
  return [begin, end];
}

function secondsOf(steps: readonly Step[], phase: (typeof PHASES)[number]): number {
  const [begin, end] = around(steps, phase);
  return end.seconds - begin.seconds;
}

/** The processes of a session without setup ahead are started in its setup. */
function cpuOf(steps: readonly Step[], phase: (typeof PHASES)[number], party: keyof PartiesUsage): number {
  const [begin, end] = around(steps, phase);
  return end.usage[party].cpuSeconds - (phase === 'setup' ? 0 : begin.usage[party].cpuSeconds);
}

function single(name: string, unit: Unit, figure: number, aim?: Aim): BenchRow {
  return { name, unit, figure, reference: null, ratio: null, spread: [figure, figure], ...(aim && { aim }) };
}

function whole(name: string, steps: readonly Step[], attestingMs: number): BenchRow {
  const figure = (steps.at(-1)?.seconds ?? 0) * 1_000;
  const ratio = figure / attestingMs;
  return {
    name,
    unit: MILLISECONDS,
    figure,
    reference: { name: 'attesting notary', figure: attestingMs },
    ratio,
    spread: [ratio, ratio],
  };
}
