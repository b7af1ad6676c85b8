/** Holds the parts of a request against the schemas of its row. */
import { type ZodError, ZodObject, type ZodType, type z } from 'zod';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { aboutUnknown, plainIssue, shortened } from '../../core/plain-issue.ts';
import { suggestionsFor } from './suggestions.ts';

const MAX_ISSUES = 20;
/** Names in a request may be as long as its body. A refusal repeats the beginning. */
const MAX_PATH = 256;
const MAX_MESSAGE = 1_024;

/**
 * Parses one part of a request; undefined without a schema.
 * @param where `path`, `query` or `body`: how messages and `details.issues` name the part; null for arguments of a call in process
 * @throws DomainError with `code`, naming the fields that do not fit
 */
export function parseInput(
  schema: ZodType | undefined,
  value: unknown,
  where: string | null,
  code: ErrorCode = 'INVALID_REQUEST',
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value, { reportInput: true, error: nameUnknown });
  if (result.success) return result.data;
  throw invalid(result.error, where, code);
}

/** Names the fields that are unknown, and those that may have been meant. The library says the rest. */
function nameUnknown(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const known = issue.inst instanceof ZodObject ? Object.keys(issue.inst.shape) : [];
  return aboutUnknown(issue.keys) + suggestionsFor(issue.keys.slice(0, 1), known);
}

function invalid(error: ZodError, where: string | null, code: ErrorCode): DomainError {
  // A misspelt field is unknown, and the right one is missing: the first says more. v1 and v2 send no `details`.
  const told = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const root = where === null ? [] : [where];
  const plain = (issue: z.core.$ZodIssue) => ({
    path: shortened([...root, ...issue.path.map(String)].join('.') || 'the input', MAX_PATH),
    message: shortened(plainIssue(issue), MAX_MESSAGE),
  });
  const { path, message } = told === undefined ? { path: where, message: 'invalid' } : plain(told);
  return new DomainError(code, `Invalid request: ${path}: ${message}`, {
    details: { issues: error.issues.slice(0, MAX_ISSUES).map(plain) },
  });
}
