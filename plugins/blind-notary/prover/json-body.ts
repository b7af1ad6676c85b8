/** JSON bodies that stay what they are when the engine of MPC-TLS reads them and writes them again. */
import { decodeUtf8, parseJson, readJson, UnreadableJsonError } from 'credence/kit/notaries';

/** Of text that is JSON, so that each string has its end. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?[0-9][0-9.eE+-]*/g;
const DECIMAL = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const MAX_SHOWN = 40;

/**
 * The value of a JSON body. Its numbers are read as doubles, and of two members with one name the engine keeps the last.
 * @throws UnreadableJsonError for what is not JSON, and for values that would change
 */
export function readJsonBody(bytes: Uint8Array): unknown {
  const source = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = parseJson(source ?? '');
  } catch {
    throw new UnreadableJsonError('it is not JSON');
  }
  for (const [token] of readJson(bytes).text.matchAll(TOKEN)) {
    const isKept = token.startsWith('"') ? (JSON.parse(token) as string).isWellFormed() : isDouble(token);
    if (!isKept) throw new UnreadableJsonError(`${token.slice(0, MAX_SHOWN)} would be sent as another value`);
  }
  return value;
}

/** True for a number whose digits a double keeps, and which is no integer beyond those that all readers know. */
function isDouble(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  const [written, kept] = [decimal(token), decimal(String(value))];
  return written.digits === kept.digits && written.exponent === kept.exponent;
}

/** The digits of a number without zeros at their ends, and the exponent of ten behind them. */
function decimal(token: string): { readonly digits: string; readonly exponent: number } {
  const [, integer = '', fraction = '', exponent = '0'] = DECIMAL.exec(token) ?? [];
  const all = integer + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === '0') start++;
  while (start < end && all[end - 1] === '0') end--;
  const digits = all.slice(start, end);
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - end };
}
