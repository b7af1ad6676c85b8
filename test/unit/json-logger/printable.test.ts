import { expect, it } from 'vitest';
import { createJsonLogger } from '../../../adapters/json-logger/index.ts';

it('writes nothing that a terminal obeys, and the same JSON', () => {
  const lines: string[] = [];
  const logger = createJsonLogger('info', { write: (line: string) => lines.push(line) });
  const text = '\u001b[2J\u009b31m\u007f\u202eexe\r';
  logger.info({ text }, text);
  expect(lines.join('')).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ text, msg: text });
});
