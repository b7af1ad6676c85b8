/**
 * The settings that the promises of the port need. Reads come from the primary, and writes survive the loss of a server and of
 * the power. The other settings of the URL (`tls`, `retryWrites`, `authSource` …) stay as they are.
 */
import type { MongoClientOptions } from 'mongodb';

export const DURABLE = {
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true },
} as const satisfies MongoClientOptions;

/** The only value that each may have, by its name in lower case, as the driver takes them in any. */
const ONLY: ReadonlyMap<string, { readonly value: string; readonly why: string }> = new Map([
  ['readpreference', { value: 'primary', why: 'secondaries may lag behind what was written' }],
  ['w', { value: 'majority', why: 'writes that fewer servers have can be lost' }],
  ['journal', { value: 'true', why: 'writes that are not in the journal can be lost' }],
  ['j', { value: 'true', why: 'writes that are not in the journal can be lost' }],
]);

/** Why the URL cannot be used, if it asks for less than the promises need; it quotes nothing else of the URL. */
export function weakSetting(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start < 0) return undefined;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const only = ONLY.get(name.toLowerCase());
    if (only === undefined || value === only.value) continue;
    return `the MongoDB URL may not set ${name} to anything but ${only.value}: ${only.why}. Leave it out`;
  }
  return undefined;
}
