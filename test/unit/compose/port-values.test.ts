/** What a user implements a port with: values that the core knows by identity must come from the entry of the package. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as entry from '../../../plugins/compose/index.ts';
import { readSources } from '../../arch/source-graph.ts';

const PORT_TYPES = new URL('../../../plugins/compose/port-types.ts', import.meta.url);
const core = readSources('core', 'adapters').map(({ code }) => code);

/** Classes, symbols and texts that a file of the ports exports. */
function valuesIn(path: string): readonly string[] {
  const code = readFileSync(new URL(path, PORT_TYPES), 'utf8');
  return Array.from(code.matchAll(/^export (?:class|const) (\w+)/gm), ([, name = '']) => name);
}

function isKnownByIdentity(name: string): boolean {
  const use = new RegExp(`\\binstanceof ${name}\\b|[!=]== ${name}\\b|\\bsplit\\(${name}\\)`);
  return core.some((code) => use.test(code));
}

it('exports every value of a port that Credence checks by identity', () => {
  const files = readFileSync(PORT_TYPES, 'utf8').matchAll(/^export type \* from '(.+)';$/gm);
  const checked = Array.from(files, ([, path = '']) => valuesIn(path))
    .flat()
    .filter(isKnownByIdentity);
  expect(checked.sort()).toEqual([
    'EACH',
    'EgressRefused',
    'HANDLE',
    'HIDDEN_VALUE',
    'RescheduleError',
    'SweepTakenOver',
  ]);
  for (const name of checked) expect(entry, name).toHaveProperty(name);
});
