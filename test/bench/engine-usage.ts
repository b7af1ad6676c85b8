/** What the processes of MPC engines have used, read from Linux. */
import { readFileSync } from 'node:fs';
import type { MpcProver, MpcVerifier } from '../../core/ports/mpc-tls.ts';

/** Of one process so far. */
export interface EngineUsage {
  readonly cpuSeconds: number;
  /** Most resident memory. */
  readonly peakMiB: number;
}

/** Of the latest session's process on each side; zeros before the first. */
export interface PartiesUsage {
  readonly prover: EngineUsage;
  readonly notary: EngineUsage;
}

const NOTHING: EngineUsage = { cpuSeconds: 0, peakMiB: 0 };
const TICKS_A_SECOND = 100;
const KIB_A_MIB = 1_024;
/** Fields of `stat` behind the name, which may contain spaces. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Engines whose processes are watched. They must start each process when its session is opened. */
export function watchEngines(engines: { readonly verifier: MpcVerifier; readonly prover: () => MpcProver }) {
  const latest: Record<keyof PartiesUsage, { pid: number | undefined; usage: EngineUsage }> = {
    prover: { pid: undefined, usage: NOTHING },
    notary: { pid: undefined, usage: NOTHING },
  };
  const read = (party: keyof PartiesUsage): EngineUsage => {
    const process = latest[party];
    if (process.pid !== undefined) process.usage = usageOf(process.pid) ?? process.usage;
    return process.usage;
  };
  /** The process that a call starts before it returns. */
  const watch = <T>(party: keyof PartiesUsage, start: () => T): T => {
    const before = children();
    const started = start();
    latest[party] = { pid: children().find((pid) => !before.includes(pid)), usage: NOTHING };
    return started;
  };
  const verifier: MpcVerifier = {
    async open(limits) {
      const session = await watch('notary', () => engines.verifier.open(limits));
      return {
        verify: (channel) => session.verify(channel),
        close() {
          read('notary');
          return session.close();
        },
      };
    },
    close: () => engines.verifier.close(),
  };
  const prover = (): MpcProver => {
    const inner = engines.prover();
    return {
      open: (serverName, limits) => watch('prover', () => inner.open(serverName, limits)),
      close: () => inner.close(),
    };
  };
  return { verifier, prover, usage: (): PartiesUsage => ({ prover: read('prover'), notary: read('notary') }) };
}

function children(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** Undefined if the process has ended. */
function usageOf(pid: number): EngineUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, peakKib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    if (peakKib === undefined) return undefined;
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    return { cpuSeconds: ticks / TICKS_A_SECOND, peakMiB: Number(peakKib) / KIB_A_MIB };
  } catch {
    return undefined;
  }
}
