import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('writes what waits when the process crashes', () => {
  const module = new URL('../../../hosts/standalone/logger.ts', import.meta.url).href;
  const script = `const { createLogger } = await import(${JSON.stringify(module)});
    const logger = createLogger('info');
    for (let line = 0; line < 300; line += 1) logger.info({ line }, 'last words');
    throw new Error('crash');`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr.match(/"msg":"last words"/g)).toHaveLength(300);
});
