import { ConfigurationError } from '../../core/configuration-error.ts';
import { suggestionsFor } from './unknown-fields.ts';

const FIELDS: readonly string[] = ['logger', 'identify', 'modules'];

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Whether a value has the methods of a logger. */
export function isLogger(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    LEVELS.every((level) => typeof (value as Readonly<Record<string, unknown>>)[level] === 'function')
  );
}

export const NOT_A_LOGGER = 'must be a logger with debug, info, warn and error; `silentLogger` drops everything';

/**
 * Checks the second argument of `createCredence`, which may come from JavaScript.
 * @throws ConfigurationError naming every unusable option
 */
export function checkCredenceOptions(options: {
  readonly logger?: unknown;
  readonly identify?: unknown;
  readonly modules?: unknown;
}): void {
  if (typeof options !== 'object' || options === null) throw unusable([['(options)', 'must be an object']]);
  const { logger, identify, modules } = options;
  const unknown = Object.keys(options).filter((name) => !FIELDS.includes(name));
  const isModule = (value: unknown) => typeof (value as { load?: unknown } | null)?.load === 'function';
  const problems: [field: string, message: string][] = [];
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${name}"`).join(', ');
    const what = `has no field${unknown.length === 1 ? '' : 's'} ${names}`;
    problems.push(['(options)', `${what}${suggestionsFor(unknown, FIELDS)}`]);
  }
  if (logger !== undefined && !isLogger(logger)) problems.push(['logger', NOT_A_LOGGER]);
  if (identify !== undefined && typeof identify !== 'function') {
    problems.push(['identify', 'must be a function that takes a request and returns a caller, null or undefined']);
  }
  if (modules !== undefined && !(Array.isArray(modules) && modules.every(isModule))) {
    problems.push(['modules', 'must be a list of ContainerModules: import { ContainerModule } from "credence"']);
  }
  if (problems.length > 0) throw unusable(problems);
}

function unusable(problems: readonly (readonly [field: string, message: string])[]): ConfigurationError {
  const lines = problems.map(([field, message]) => `  ${field}: ${message}`);
  const issues = problems.map(([field, message]) => ({ field, message }));
  return new ConfigurationError(`The options of createCredence are not usable:\n${lines.join('\n')}`, { issues });
}
