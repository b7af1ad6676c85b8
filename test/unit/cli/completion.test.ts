/** The completion script of bash, in a real bash; the others by what they hold. */
import { execFileSync } from 'node:child_process';
import { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { completionScript, SHELLS } from '../../../hosts/cli/completion.ts';

function tree(): Command {
  const program = new Command('credence').addOption(new Option('--url <url>', "the instance's address"));
  const brands = program.command('brands').alias('brand').description("calls the API about 'brands'");
  brands.command('create').option('--name <text>', 'its name').option('--slug <text>');
  brands.command('list').option('--csv');
  program.command('copy');
  return program;
}

/** What bash offers for the last of these words. */
function offered(...words: readonly string[]): string[] {
  const script = `${completionScript('bash', tree())}
COMP_WORDS=(credence "$@"); COMP_CWORD=$#; _credence; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

it.each([
  [[''], ['brands', 'copy', '--url', '--help']],
  [['br'], ['brands']],
  [
    ['brands', ''],
    ['create', 'list', '--help'],
  ],
  [
    ['brand', 'create', '--'],
    ['--name', '--slug', '--help'],
  ],
  [['--url', 'http://x', 'brands', 'list', '--c'], ['--csv']],
  [['brands', 'create', '--name', 'list', '--s'], ['--slug']],
  [['nothing', '--u'], ['--url']],
])('completes %j in bash', (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

it('has a script for every shell, with every command and quotes that hold', () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell, tree());
    for (const word of ['brand create', 'slug', 'copy']) expect(script).toContain(word);
  }
  expect(completionScript('fish', tree())).toContain("-d 'calls the API about '\\''brands'\\'''");
});
