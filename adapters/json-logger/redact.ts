/** Takes secrets out of the fields of a log line. By hand: patterns of paths took fifteen times as long for each line. */
import { isNativeError } from 'node:util/types';

/** In lower case; fields are compared without case. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'token',
  'secret',
  'sealedsecret',
  'sealedseed',
  'secretkey',
  'password',
  'apikey',
  'admintoken',
  'sessionids',
  'sessionid',
  'proxyurl',
  'x-service-signature',
  'webhook-signature',
]);

const REDACTED = '[redacted]';
const BYTES = '[bytes]';
const CUT_OFF = '[cut off]';

/** Objects inside objects; what lies deeper is cut off. */
const MOST_DEPTH = 6;
/** Fields of one line, over all depths: a socket or a request leads to half of the process. */
const MOST_FIELDS = 1_000;

/**
 * Makes the function that returns what may be logged of some fields. Every field with a secret's name is `[redacted]`, at any
 * depth; bytes, and what is too deep or too much, are left out. The given object never changes; it is returned itself if
 * there is nothing to leave out. It throws what a getter or a `toJSON` of the fields throws.
 *
 * @param describeError returns what is logged instead of an error
 */
export function createRedaction(describeError: (error: Error) => object): (fields: object) => object {
  return (fields) => withoutSecrets(fields, describeError);
}

function withoutSecrets(fields: object, describeError: (error: Error) => object): object {
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
