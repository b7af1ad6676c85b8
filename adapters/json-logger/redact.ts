/** Takes secrets out of the fields of a log line. By hand: patterns of paths took fifteen times as long for each line. */
import { isNativeError } from 'node:util/types';

/** In lower case; fields are compared without case. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(
  [
    'authorization proxy-authorization cookie set-cookie token secret sealedsecret sealedseed secretkey password apikey',
    'admintoken sessionids sessionid proxyurl x-service-signature webhook-signature',
  ].flatMap((names) => names.split(' ')),
);

const REDACTED = '[redacted]';
const BYTES = '[bytes]';
const CUT_OFF = '[cut off]';

/** Objects inside objects; what lies deeper is cut off. */
const MOST_DEPTH = 6;
/** Fields of one line, over all depths: a socket or a request leads to half of the process. */
const MOST_FIELDS = 1_000;
const MOST_CAUSES = 10;

/**
 * What may be logged of some fields. Every field with a secret's name is `[redacted]`, at any depth; bytes, and what is too deep
 * or too much, are left out. The given object never changes; it is returned itself if there is nothing to leave out. Throws
 * what a getter or a `toJSON` of the fields throws.
 */
export function redact(fields: object): object {
  let left = MOST_FIELDS;

  function shown(value: unknown, depth: number): unknown {
    // JSON has no numbers like it.
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MOST_DEPTH) return CUT_OFF;
    if (ArrayBuffer.isView(value)) return BYTES;
    if (isNativeError(value) || value instanceof Error) return copyOf(describeError(value), depth);
    if ('toJSON' in value && typeof value.toJSON === 'function') return shown(value.toJSON(), depth + 1);
    return copyOf(value, depth);
  }

  function copyOf(value: object, depth: number): object {
    let copy: object | undefined;
    for (const [name, inner] of Object.entries(value)) {
      if (left > 0) left -= 1;
      const safe = left === 0 ? CUT_OFF : SECRET_FIELDS.has(name.toLowerCase()) ? REDACTED : shown(inner, depth + 1);
      if (safe === inner) continue;
      copy ??= Array.isArray(value) ? [...value] : { ...value };
      Reflect.set(copy, name, safe);
    }
    return copy ?? value;
  }

  return copyOf(fields, 1);
}

/** What is logged of an error: its type, message and stack, each with those of its causes, and its fields. */
function describeError(error: Error): object {
  const all = [error, ...causesOf(error)];
  const { errors } = error as { readonly errors?: unknown };
  return {
    ...withoutCause(error),
    type: error.constructor?.name ?? error.name,
    message: all.map(({ message }) => message).join(': '),
    stack: all.map(({ stack, message }) => stack ?? message).join('\ncaused by: '),
    ...(Array.isArray(errors) ? { aggregateErrors: errors } : {}),
  };
}

function causesOf(error: Error): readonly Error[] {
  const causes: Error[] = [];
  for (let { cause } = error; cause instanceof Error && causes.length < MOST_CAUSES; { cause } = cause) {
    causes.push(cause);
  }
  return causes;
}

/** The own fields of an error. Its causes are in the message already. */
function withoutCause(error: Error): object {
  const { cause, ...fields } = error;
  return cause instanceof Error ? fields : { ...error };
}
