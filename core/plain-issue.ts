import type { z } from 'zod';

/** What zod calls a kind of value, in words. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  function: 'a function',
  undefined: 'undefined',
  null: 'null',
};

/** What to write for a format that is not kept. */
const FORMATS: Readonly<Record<string, string>> = {
  url: 'must be a URL with its scheme, such as https://example.com',
  email: 'must be an e-mail address, such as name@example.com',
};

/** How messages begin that the schema's author did not write. */
const OF_THE_LIBRARY = /^(?:Invalid |Too |Unrecognized )/;

/** How many unknown fields are named, and how much of each name: the sender chooses both. */
const MAX_NAMED = 5;
const MAX_NAME = 64;

/** Says what to write instead of a refused value. Messages of a schema's author stay as they are. */
export function plainIssue(issue: z.core.$ZodIssue): string {
  if (!OF_THE_LIBRARY.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return aboutKind(issue.expected, /received (\S+)$/.exec(issue.message)?.[1] ?? 'something else');
    case 'invalid_value': {
      const wanted = `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
      // The input is there only if the parser was asked to report it.
      return 'input' in issue && issue.input === undefined ? `is missing; it ${wanted}` : wanted;
    }
    case 'too_small':
      return `must ${aboutSize(issue.origin, issue.minimum, 'at least')}`;
    case 'too_big':
      return `must ${aboutSize(issue.origin, issue.maximum, 'at most')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? issue.message;
    case 'unrecognized_keys':
      return aboutUnknown(issue.keys);
    case 'invalid_union': {
      const ways = issue.errors.map((errors) => errors.map(plainIssue).join(' and '));
      return ways.length === 0 ? issue.message : [...new Set(ways)].join(', or ');
    }
    default:
      return issue.message;
  }
}

/** All that is wrong with a value, each with its field: `version: must be …; meta: is missing; …`. */
export function plainIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? 'it' : `${issue.path.join('.')}:`} ${plainIssue(issue)}`)
    .join('; ');
}

/** Says which fields are unknown: a few of them, and the beginnings of their names. */
export function aboutUnknown(keys: readonly string[]): string {
  const names = keys.slice(0, MAX_NAMED).map((key) => `"${shortened(key, MAX_NAME)}"`);
  const more = keys.length - names.length;
  return `has no ${keys.length > 1 ? 'fields' : 'field'} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Cuts a text to `max` characters; an ellipsis stands for the rest. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}

function aboutKind(expected: string, received: string): string {
  const wanted = KINDS[expected] ?? expected;
  // A number with a fraction is one, too.
  if (expected === 'int' && received === 'number') return `must be ${wanted}`;
  return received === 'undefined'
    ? `is missing; it must be ${wanted}`
    : `must be ${wanted}, not ${KINDS[received] ?? received}`;
}

function aboutSize(origin: string, bound: number | bigint, relation: 'at least' | 'at most'): string {
  const isOne = Number(bound) === 1;
  if (origin === 'string') return `have ${relation} ${bound} ${isOne ? 'character' : 'characters'}`;
  return origin === 'array' ? `have ${relation} ${bound} ${isOne ? 'entry' : 'entries'}` : `be ${relation} ${bound}`;
}
