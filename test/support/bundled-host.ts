import { inject } from 'vitest';
import type { BundledHosts } from './hosts-of-run.ts';

let asking: Promise<BundledHosts> | undefined;

/** The file to start instead of a source, which loads in half the time. @throws Error if the sources cannot be bundled */
export async function bundled(source: keyof BundledHosts): Promise<string> {
  asking ??= ask();
  return (await asking)[source];
}

async function ask(): Promise<BundledHosts> {
  const answer = await fetch(inject('hostsDoor'));
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as BundledHosts;
}
