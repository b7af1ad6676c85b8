/** What the mutation tests name exists: they take too long to find out by running them. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AREAS } from '../../mutation/areas.ts';
import type { Explanation } from '../../mutation/evaluate.ts';
import { EXPLANATIONS } from '../../mutation/explanations.ts';

const root = resolve(import.meta.dirname, '../../..');

it.each(Object.entries(AREAS))('every pattern of the area %s matches files', (_name, { mutate, tests, critical }) => {
  for (const pattern of [...mutate, ...tests, ...critical]) {
    expect(globSync(pattern.replace(/^!/, ''), { cwd: root }), pattern).not.toEqual([]);
  }
});

const isMutated = (file: string) =>
  Object.values(AREAS).some(({ mutate }) =>
    mutate.reduce(
      (included, pattern) =>
        pattern.startsWith('!')
          ? included && !matchesGlob(file, pattern.slice(1))
          : included || matchesGlob(file, pattern),
      false,
    ),
  );

function fits(explanation: Explanation): boolean {
  const { file = '', line } = explanation;
  if (line === undefined) return true;
  const lines = readFileSync(resolve(root, file), 'utf8').split('\n');
  return lines.some((each) => (typeof line === 'string' ? each.includes(line) : line.test(each)));
}

it('every critical file is mutated', () => {
  const critical = Object.values(AREAS).flatMap((area) =>
    area.critical.flatMap((glob) => globSync(glob, { cwd: root })),
  );
  expect(critical.filter((file) => !isMutated(file))).toEqual([]);
});

describe('explanations', () => {
  const ofFiles = EXPLANATIONS.filter(({ file }) => file !== undefined);

  it('name files that are mutated', () => {
    const missing = ofFiles.filter(({ file = '' }) => !isMutated(file) || !existsSync(resolve(root, file)));
    expect(missing).toEqual([]);
  });

  it('name lines that are there', () => {
    const present = ofFiles.filter(({ file = '' }) => existsSync(resolve(root, file)));
    expect(present.filter((explanation) => !fits(explanation))).toEqual([]);
  });

  it('each say something else about a line', () => {
    const keys = EXPLANATIONS.map(({ file, line, mutator, replacement }) =>
      [file, line, mutator, replacement].join('|'),
    );
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});
