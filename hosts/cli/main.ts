#!/usr/bin/env node
/** The command line: `npx credence`. */
import { outliveReaders } from '../standalone/closed-pipe.ts';
import { nodeVersionRefusal } from '../standalone/node-version.ts';
import { endWithWrapper } from '../standalone/wrapper.ts';
import { fromPackage } from './optional-package.ts';
import { UsageError } from './usage-error.ts';

/** Commands whose settings are environment variables. */
const CONFIGURED = ['start', 'doctor'];

const refusal = nodeVersionRefusal();
// Before anything else is loaded: the code of a command may need what an older Node.js does not have.
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}

endWithWrapper();
const ending = new AbortController();
outliveReaders(() => ending.abort());
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  const { message } = error;
  console.error(process.argv.includes('--json') ? JSON.stringify({ code: null, message }) : message);
  process.exitCode = 2;
}

/** Programs with options and help of their own read the arguments behind their name themselves. */
async function main(argv: readonly string[]): Promise<void> {
  const [name = '', ...rest] = argv;
  if (CONFIGURED.includes(name)) {
    const { variablesOfFolder } = await import('./target.ts');
    Object.assign(process.env, { ...(await variablesOfFolder(process.cwd())), ...process.env });
  }
  if (name === 'zk' && rest[0] === 'ceremony') {
    const prover = await fromPackage('A ceremony', '@credence/groth16', () => import('@credence/groth16/ceremony'));
    process.exitCode = await prover.runCeremony(rest.slice(1), 'credence zk ceremony');
  } else if (name === 'start') {
    process.argv.splice(2, 1);
    await import('credence/host/main');
  } else if (name === 'simulator') {
    process.argv.splice(2, 1);
    await fromPackage('This command', '@credence/simulator', () => import('@credence/simulator/main'));
  } else {
    await runCommand(argv);
  }
}

async function runCommand(argv: readonly string[]): Promise<void> {
  const { runCli } = await import('./program.ts');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  process.exitCode = await runCli({
    argv: argv.filter((part, at) => at > 0 || part !== ''),
    env: process.env,
    folder: process.cwd(),
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    showProgress: process.stderr.isTTY
      ? (text) => process.stderr.write(text === null ? '\r\u001B[K' : `\r${text}\u001B[K`)
      : undefined,
    columns: process.stdout.columns,
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    signal: ending.signal,
  });
}

/** On standard error: what is printed may go into a file. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // An end of the input is no answer.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return await Promise.race([lines.question(question, { signal: ending.signal }), ended]);
  } finally {
    lines.close();
  }
}
