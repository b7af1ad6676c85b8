/** Options of commands about web proofs. One that cannot be used is a wrong call: it says nothing about a proof. */
import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../adapters/x509/pem-blocks.ts';
import { readInput } from './files.ts';
import { UsageError } from './usage-error.ts';

/** The PEM certificates of `--roots`; none without the option. @throws UsageError for a file without them */
export async function readRoots(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = (await readInput(file)).toString();
  const blocks = pemBlocks(text);
  if (blocks.length === 0 || !blocks.every(isCertificate)) {
    throw new UsageError(
      `${file} holds no PEM certificate, or one that cannot be read. Give PEM certificates in --roots.`,
    );
  }
  return [text];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** @throws UsageError for what is no fingerprint of a notary's key; `option` is named in it */
export function checkFingerprint(option: string, fingerprint: string): void {
  if (/^[0-9a-f]{64}$/i.test(fingerprint)) return;
  throw new UsageError(
    `${option} ${JSON.stringify(fingerprint)} is no fingerprint of a notary's key. Give the 64 hex digits that the notary prints.`,
  );
}

const PLACES: ReadonlyMap<string, readonly [side: string, field: string]> = new Map([
  ['request.headers', ['request', 'headers']],
  ['request.query', ['request', 'url_query']],
  ['response.headers', ['response', 'headers']],
  ['response.json', ['response', 'json_body']],
]);

type Rule = Record<string, Record<string, string[]>>;

/** `--hide` and `--show-only` as the redaction of a prove request. @throws UsageError for a place that is none of the four */
export function redactionOf(hidden: readonly string[], shown: readonly string[]): Rule[] {
  return [...hidden.map((given) => ruleOf(given, '')), ...shown.map((given) => ruleOf(given, '_except'))];
}

function ruleOf(given: string, suffix: '' | '_except'): Rule {
  const colon = given.indexOf(':');
  const place = PLACES.get(given.slice(0, Math.max(colon, 0)));
  const name = given.slice(colon + 1);
  if (place === undefined || name === '') {
    throw new UsageError(
      `${JSON.stringify(given)} names nothing to redact. Write PLACE:NAME, for example response.json:user.email. Places: ${[...PLACES.keys()].join(', ')}.`,
    );
  }
  const [side, field] = place;
  return { [side]: { [`${field}${suffix}`]: [name] } };
}

/** Of an option that may be repeated. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];
