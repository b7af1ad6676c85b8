/**
 * Steps of ceremonies, one after the other in one process. Loading the compiler and the arithmetic of snarkjs takes longer
 * than a step on a small circuit.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runCeremony } from '../../adapters/groth16-prover/setup/ceremony.ts';
import type { ToolCommand } from '../../adapters/groth16-prover/setup/tool-process.ts';
import { runTool } from '../../adapters/groth16-prover/setup/toolchain.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

type Work =
  /** A step, with the arguments of the command line. */
  | { readonly ceremony: readonly string[] }
  /** What no step does: a command of snarkjs. */
  | { readonly command: ToolCommand; readonly args: readonly string[]; readonly entropy?: string };

export interface CeremonyOutcome {
  /** The exit code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CeremonyProcess {
  run(work: Work): Promise<CeremonyOutcome>;
  close(): Promise<void>;
}

const SCRIPT = fileURLToPath(import.meta.url);

export function startCeremonyProcess(): CeremonyProcess {
  const child: ChildProcess = fork(SCRIPT, {
    env: { ...process.env, ...COMPILE_CACHE },
    execArgv: ['--conditions=credence-source'],
  });
  return {
    async run(work) {
      child.send(work);
      const [outcome] = (await once(child, 'message')) as [CeremonyOutcome];
      return outcome;
    },
    async close() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function perform(work: Work): Promise<CeremonyOutcome> {
  const written = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  for (const name of streams) {
    process[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  }
  try {
    let code = 0;
    if ('ceremony' in work) code = await runCeremony(work.ceremony, 'ceremony');
    else await runTool(work.command, work.command, work.args, work.entropy);
    return { code, ...written };
  } finally {
    for (const name of streams) Reflect.deleteProperty(process[name], 'write');
  }
}

if (process.argv[1] === SCRIPT) {
  process.on('message', async (work: Work) => process.send?.(await perform(work)));
  process.once('disconnect', () => process.exit(0));
}
