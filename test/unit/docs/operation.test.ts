import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { configSchema } from '../../../plugins/compose/config.ts';

const page = await readFile(new URL('../../../docs/operation.md', import.meta.url), 'utf8');

it('the lists of notaries in the documentation are lists that are taken', () => {
  const lists = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']): unknown =>
    JSON.parse(json.replaceAll('64 hex digits', 'ab'.repeat(32))),
  );
  const [remoteNotaries, trustedNotaries] = lists;
  const { data, error } = configSchema.safeParse({ remoteNotaries, trustedNotaries });
  expect(error).toBeUndefined();
  expect(data?.remoteNotaries).toHaveLength(1);
  expect(data?.trustedNotaries).toHaveLength(1);
});
