/** The commands of `npx credence`, apart from the process that runs them. */
import { Command, CommanderError, Option } from 'commander';
import { explainFailure, packageVersion } from 'credence/host';
import { isDomainError } from '../../core/errors.ts';
import { printable } from '../../core/printable.ts';
import { addApiCommands } from './api-commands.ts';
import { RefusedError, type Target, UnreachableError, UnusablePathValue } from './call.ts';
import { addConnectCommand } from './connect-account.ts';
import { addCopyCommand } from './copy.ts';
import { examine } from './doctor.ts';
import { addDrawCommand } from './draw.ts';
import { addImportCommand } from './import-creators.ts';
import { initialise, TEMPLATES, type Template, writeTemplate } from './init.ts';
import { addListenCommand } from './listen.ts';
import { addMigrateCommand } from './migrate.ts';
import { operationsOf, readDocument } from './operations.ts';
import { addProofCommands, ProofRefusal } from './proof-commands.ts';
import { collect } from './proof-options.ts';
import { type Run, wantsJson } from './surroundings.ts';
import { type TargetOptions, targetOf } from './target.ts';
import { UsageError } from './usage-error.ts';

/** Whether the host can prove what a new `.env` asks for. */
function hasProver(): boolean {
  try {
    import.meta.resolve('@credence/groth16');
    return true;
  } catch {
    return false;
  }
}

const INSTALL = `For zero-knowledge proofs, the host needs a package that is not installed here: npm install @credence/groth16
If you do not need them, set SERVICES=engagement,web-prover in .env.`;

/** The commands; `exitCode` is known when one has run. */
async function createProgram(run: Run): Promise<{ program: Command; exitCode: () => number }> {
  const { env, folder, print } = run;
  let failed = false;
  const fail = () => {
    failed = true;
  };
  const program = new Command('credence')
    .description('Verifies social engagement and web data. Calls the API of an instance, or runs one.')
    .version(packageVersion())
    .enablePositionalOptions()
    .showHelpAfterError('See --help.')
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => run.argv.includes('--json') || run.printError(text.trimEnd()),
    })
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command))
    .exitOverride();
  addCommonOptions(program);
  const target = (command: Command): Promise<Target> => {
    const own = command.opts<Record<string, string | undefined>>();
    const inCommon = Object.entries(own).filter(([name]) => isCommon(command, name));
    return targetOf({ ...program.opts<TargetOptions>(), ...Object.fromEntries(inCommon) }, env, folder);
  };
  // `main.ts` runs these, since they have options and help of their own. Here they are only listed.
  const zk = new Command('zk').description('makes keys for zero-knowledge proofs');
  const standalone = [
    program.command('start').description('starts the standalone host'),
    program
      .command('simulator')
      .description('serves simulated platforms on this machine, to try a host without the real ones'),
    zk
      .command('ceremony')
      .description('makes keys of your own, with the parties that you choose; its --help names the steps'),
  ];
  program.addCommand(zk);

  program
    .command('init')
    .description('writes a .env with fresh secrets, or a whole application')
    .addOption(new Option('--template <name>', 'writes this application, which mounts Credence').choices(TEMPLATES))
    .action(async ({ template }: { template?: Template }, command: Command) => {
      const json = wantsJson(command);
      if (template !== undefined) {
        const written = await writeTemplate(folder, template);
        if (json) return print(JSON.stringify(written));
        return print(`${written.files.join('\n')}\nStart it: npm install && ${written.start}`);
      }
      const { file, framework, mount, adminToken } = await initialise(folder);
      if (json) return print(JSON.stringify({ file, framework, mount, adminToken }));
      print(`${file} is written. Its admin token: ${adminToken}`);
      print('Start the host: npx credence start');
      print('console:  http://localhost:3000/console\nAPI docs: http://localhost:3000/docs');
      if (!hasProver()) print(INSTALL);
      if (mount !== null) print(`\nOr mount it in your ${framework} application, as this one does: ${mount}`);
    });

  program
    .command('doctor')
    .description(
      'checks configuration, storage, keys, Redis, clock, egress, notary, disk, accounts, platforms; exits with 1 if one fails',
    )
    .option('--canary <post or profile>', 'a post URL or PLATFORM:HANDLE to read; may be repeated', collect, [])
    .option('--platforms', 'only reads the canaries: those of PLATFORM_CANARIES and of --canary')
    .option('--accept', 'takes what the configured canaries show now for right')
    .action(async (options: { canary: readonly string[]; platforms?: true; accept?: true }, command: Command) => {
      const json = wantsJson(command);
      const findings = await examine({
        env,
        canaries: options.canary,
        onlyPlatforms: options.platforms === true,
        accept: options.accept === true,
        onFinding: ({ name, outcome, detail }) => {
          if (!json) print(`${MARKS[outcome]} ${name.padEnd(16)}  ${detail.replaceAll('\n', DETAIL_INDENT)}`);
        },
      });
      if (json) print(JSON.stringify(findings, null, 2));
      if (findings.some(({ outcome }) => outcome === 'failed')) fail();
    });

  const around = { ...run, target, fail, operations: operationsOf(await readDocument()) };
  for (const add of COMMANDS) add(program, around);
  inherit(program, new Set(standalone));
  return { program, exitCode: () => (failed ? 1 : 0) };
}

const COMMANDS = [
  addProofCommands,
  addApiCommands,
  addListenCommand,
  addCopyCommand,
  addMigrateCommand,
  addDrawCommand,
  addConnectCommand,
  addImportCommand,
] as const;

const MARKS = { ok: 'ok      ', warning: 'warning ', failed: 'FAILED  ', skipped: '-       ' } as const;
/** Further lines of a detail begin below the first. */
const DETAIL_INDENT = `\n${' '.repeat(27)}`;

/** Options of every command. Those that are also fields of an operation are only known before the command. */
const COMMON = [
  {
    flags: '--url <url>',
    text: 'the instance; CREDENCE_URL, then the host of ./.env, then http://localhost:3000',
  },
  {
    flags: '--token <token>',
    text: 'an API token; without it CREDENCE_TOKEN, then ADMIN_TOKEN of ./.env',
  },
  { flags: '--json', text: 'print JSON' },
] as const;

function addCommonOptions(command: Command): void {
  for (const { flags, text } of COMMON) {
    const option = new Option(flags, text);
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  }
}

/** False for a field of the operation that has the name of a common option. */
function isCommon(command: Command, name: string): boolean {
  const flags = command.options.find((option) => option.attributeName() === name)?.flags;
  return COMMON.some((option) => option.flags === flags);
}

/** A command that does not exist has no help: without this, the help of the command above it is shown. Returns no text. */
function refuseUnknown(command: Command): string {
  const [first = '', second = ''] = command.args;
  const name = first === 'help' ? second : first;
  const isKnown = command.commands.some((inner) => [inner.name(), ...inner.aliases()].includes(name));
  const isName = name !== '' && name !== 'help' && !name.startsWith('-');
  if (command.commands.length > 0 && isName && !isKnown) command.error(`error: unknown command '${name}'`);
  return '';
}

/** Errors of every command are thrown, so that this file alone ends the process. */
function inherit(command: Command, standalone: ReadonlySet<Command>): void {
  for (const inner of command.commands) {
    inner.copyInheritedSettings(command);
    // Programs of their own take none of the common options.
    if (inner.commands.length === 0 && !standalone.has(inner)) addCommonOptions(inner);
    inherit(inner, standalone);
  }
}

const TOKEN_HINT = 'Give a token that the instance knows: --token, or the variable CREDENCE_TOKEN.';

interface Explained {
  readonly text: string;
  readonly exitCode: number;
  /** In the place of the text with `--json`; the text itself by default. */
  readonly told?: { readonly code: string | null; readonly message: string; readonly requestId?: string | null };
}

/** 1: refused or not reachable; 2: called in a wrong way. */
function explain(error: unknown): Explained {
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'Name a command: see --help.' : error.message;
    return { text: '', exitCode: error.exitCode === 0 ? 0 : 2, told: { code: null, message } };
  }
  if (error instanceof RefusedError) {
    const { code, message, requestId } = error;
    const trace = requestId === null ? '' : ` (request ${requestId})`;
    // Further lines are indented: none passes for one of ours.
    const hint = error.status === 401 ? `\n${TOKEN_HINT}` : '';
    const text = `${code ?? 'ERROR'}: ${message.replaceAll('\n', '\n  ')}${trace}${hint}`;
    return { text, exitCode: 1, told: { code, message, requestId } };
  }
  if (error instanceof UsageError || error instanceof UnusablePathValue) return { text: error.message, exitCode: 2 };
  const isPlain = error instanceof ProofRefusal || error instanceof UnreachableError;
  const failure = isPlain ? { text: error.message, exitCode: 1 } : explainFailure(error);
  const hasCode = error instanceof ProofRefusal || isDomainError(error);
  return hasCode ? { ...failure, told: { code: error.code, message: error.message } } : failure;
}

/** Escapes what a terminal obeys, in everything that a command prints. */
function printing(run: Run): Run {
  const { showProgress } = run;
  return {
    ...run,
    print: (text) => run.print(printable(text)),
    printError: (text) => run.printError(printable(text)),
    showProgress: showProgress && ((text) => showProgress(text === null ? null : printable(text))),
  };
}

/** Runs one command and resolves to the exit code: 0, 1 (refused, not reachable, does not hold) or 2 (called wrongly). */
export async function runCli(given: Run): Promise<number> {
  const run = printing(given);
  try {
    const { program, exitCode } = await createProgram(run);
    await program.parseAsync([...run.argv], { from: 'user' });
    return exitCode();
  } catch (error) {
    const { text, exitCode, told = { code: null, message: text } } = explain(error);
    const isJson = run.argv.includes('--json') && exitCode > 0;
    if (isJson || text !== '') run.printError(isJson ? JSON.stringify(told) : text);
    return exitCode;
  }
}
