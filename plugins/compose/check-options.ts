import { z } from 'zod';
import { unusable } from '../../core/configuration-error.ts';
import { plainIssue } from '../../core/plain-issue.ts';
import { suggestionsFor } from '../http/suggestions.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Whether a value has the methods of a logger. */
export function isLogger(value: unknown): boolean {
  const methods = Object(value) as Readonly<Record<string, unknown>>;
  return LEVELS.every((level) => typeof methods[level] === 'function');
}

export const NOT_A_LOGGER = 'must be a logger with debug, info, warn and error; `silentLogger` drops everything';

const isModules = (value: unknown) =>
  Array.isArray(value) && value.every((each) => typeof (each as { load?: unknown } | null)?.load === 'function');

const credenceOptions = z.strictObject({
  logger: z.custom(isLogger, NOT_A_LOGGER).optional(),
  identify: z
    .custom(
      (value) => typeof value === 'function',
      'must be a function that takes a request and returns a caller, null or undefined',
    )
    .optional(),
  modules: z
    .custom(isModules, 'must be a list of ContainerModules: import { ContainerModule } from "credence"')
    .optional(),
});

/**
 * Checks the second argument of `createCredence`, which may come from JavaScript.
 * @throws ConfigurationError naming every unusable option
 */
export function checkCredenceOptions(options: unknown): void {
  const issues = (credenceOptions.safeParse(options).error?.issues ?? []).map((issue) => {
    const known = Object.keys(credenceOptions.shape);
    const suggestion = issue.code === 'unrecognized_keys' ? suggestionsFor(issue.keys, known) : '';
    return { field: issue.path.join('.') || '(options)', message: plainIssue(issue) + suggestion };
  });
  if (issues.length > 0) throw unusable('The options of createCredence are not usable:', issues);
}
