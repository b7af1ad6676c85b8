/** What an operator is shown when a host cannot start. */
import { KeyFileError } from '../../adapters/key-file/index.ts';
import { MissingPackageError, missingPackage } from '../../adapters/package-loader/index.ts';
import { codeOf, isDomainError } from '../../core/errors.ts';
import { ConfigurationError } from '../../plugins/compose/config.ts';
import { EnvironmentError } from './environment-values.ts';

/** `sysexits` has finer ones; supervisors know these two. */
export type StartExitCode = 1 | 2;

export interface StartFailure {
  readonly text: string;
  /** 2 when the configuration must be fixed, else 1. */
  readonly exitCode: StartExitCode;
}

/** What Node.js says of an import that it cannot resolve. */
const MISSING_PACKAGE = /^Cannot find package '([^']+)' imported from /;

const MAX_CAUSES = 5;

/**
 * Explains why a start failed. A mistake in the configuration shows its message. A refusal (an unreachable storage, a port in
 * use) shows its message and its causes. Only an unexpected error shows a stack.
 * @param variableOf the variable that sets a field of the library's configuration
 * @param listenHost the value of HOST, to tell a name of it from the name of a database
 */
export function explainFailure(
  error: unknown,
  variableOf: (field: string) => string = (field) => field,
  listenHost?: string,
): StartFailure {
  if (error instanceof ConfigurationError) return { text: configurationText(error, variableOf), exitCode: 2 };
  if (error instanceof MissingPackageError) return { text: error.message, exitCode: 2 };
  if (error instanceof EnvironmentError || error instanceof KeyFileError) return { text: error.message, exitCode: 2 };
  // A name with several addresses: each was refused, and the whole has no text.
  if (error instanceof AggregateError) return explainFailure(error.errors[0], variableOf, listenHost);
  if (!(error instanceof Error)) return { text: String(error), exitCode: 1 };
  const code = codeOf(error);
  if (code.startsWith('ERR_PARSE_ARGS')) return { text: error.message, exitCode: 2 };
  const [, missing] = code === 'ERR_MODULE_NOT_FOUND' ? (MISSING_PACKAGE.exec(error.message) ?? []) : [];
  if (missing !== undefined) return { text: missingPackage(missing, 'The host'), exitCode: 2 };
  const advice = listenAdvice(error, code, listenHost?.trim());
  if (advice !== undefined) return { text: [advice, `  because: ${error.message}`].join('\n'), exitCode: 1 };
  const isForeseen = isDomainError(error) || 'syscall' in error;
  const head = isForeseen ? error.message : (error.stack ?? error.message);
  return { text: [head, ...causesOf(error)].join('\n'), exitCode: 1 };
}

/**
 * Puts the variable before a failure that is about its file or folder.
 * @param paths variables with the paths that they stand for
 */
export function namingVariable(
  failure: StartFailure,
  paths: readonly (readonly [variable: string, path: string])[],
): StartFailure {
  const { text } = failure;
  const [variable] = paths.find(([, path]) => text.includes(`${path} `) || text.includes(`'${path}'`)) ?? [];
  return variable === undefined || text.includes(variable) ? failure : { ...failure, text: `${variable}: ${text}` };
}

function configurationText({ message, issues }: ConfigurationError, variableOf: (field: string) => string): string {
  if (issues.length === 0) return message;
  const lines = issues.map((issue) => `  ${variableOf(issue.field)}: ${issue.message}`);
  return ['The configuration is not usable:', ...lines].join('\n');
}

function causesOf(error: Error): string[] {
  const lines: string[] = [];
  for (let cause = error.cause; cause instanceof Error && lines.length < MAX_CAUSES; cause = cause.cause) {
    lines.push(`  because: ${cause.message || codeOf(cause) || cause.name}`);
  }
  // Drivers wrap one failure several times over.
  return [...new Set(lines)];
}

/** What to do if the host cannot listen, by the code of the failure. */
const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use. Stop the process that has it, or set PORT to another one',
  EADDRNOTAVAIL: 'is no address of this machine. Set HOST to one of them, 0.0.0.0 for all',
  EACCES: 'needs rights that this process does not have. Set PORT to 1024 or above',
  ENOTFOUND: 'is not a known name. Set HOST to an address of this machine',
  EAI_AGAIN: 'could not be looked up. Set HOST to an address of this machine, or fix its name resolution',
  EINVAL: 'is no address that can be listened on. Set HOST to an address of this machine',
};

type ListenError = NodeJS.ErrnoException & { hostname?: string; address?: string; port?: number };

function listenAdvice(error: Error, code: string, listenHost: string | undefined): string | undefined {
  // A name is looked up first, and that failure calls it `hostname`.
  const { syscall, hostname = '', address = hostname, port } = error as ListenError;
  const advice = LISTEN_ADVICE[code];
  const isOfListening = syscall === 'listen' || (syscall === 'getaddrinfo' && hostname === listenHost);
  if (!isOfListening || advice === undefined) return undefined;
  return `${['The address', address, port === undefined ? '' : `port ${port}`].filter((part) => part !== '').join(' ')} ${advice}.`;
}
