import type { z } from 'zod';
import { plainIssue } from './plain-issue.ts';

/** Thrown for a configuration that cannot be used; the message says what to do. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** The fields that are wrong, as dotted paths; none when it is no single field. */
  readonly issues: readonly { readonly field: string; readonly message: string }[];

  constructor(message: string, options: ErrorOptions & { readonly issues?: ConfigurationError['issues'] } = {}) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

/**
 * Checks the options of an adapter value and fills their defaults in.
 * @param adapter the name of its function, which fields are named by: `mongodb.url`
 * @throws ConfigurationError naming every unusable option
 */
export function checkOptions<S extends z.ZodType>(adapter: string, schema: S, options: unknown): z.output<S> {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({
    field: [adapter, ...issue.path].join('.'),
    message: plainIssue(issue),
  }));
  throw unusable(`The options of ${adapter}() are not usable:`, issues);
}

/**
 * Refuses a configuration for packages that are not installed.
 * @param issues what lacks which package; nothing is refused if there are none
 * @throws ConfigurationError naming each of them
 */
export function refuseMissingPackages(issues: ConfigurationError['issues']): void {
  if (issues.length > 0) throw unusable('Packages are missing:', issues);
}

/** The refusal of fields, with a line for each. */
export function unusable(title: string, issues: ConfigurationError['issues']): ConfigurationError {
  const lines = issues.map(({ field, message }) => `  ${field}: ${message}`);
  return new ConfigurationError(`${title}\n${lines.join('\n')}`, { issues });
}
