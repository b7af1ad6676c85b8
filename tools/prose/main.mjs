/** `npm run check:prose`: checks what a person reads against rules.yml and the longest sentence that is easy to read. */
import { fileURLToPath } from 'node:url';
import kernel from '@textlint/kernel';
import textlint from 'textlint';
import wordCount from 'textlint-rule-en-max-word-count';
import patterns from 'textlint-rule-prh';
import markdown from './markdown-plugin.mjs';
import typescript from './typescript-plugin.mjs';

const MOST_WORDS = 25;
const FILES = [
  '*.md',
  'docs/**/*.md',
  '{core,adapters,plugins,hosts,contracts,tools,test}/**/*.{ts,tsx,md}',
  '!**/node_modules/**',
];

const module = (imported) => imported.default ?? imported;
const linter = textlint.createLinter({
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  descriptor: new kernel.TextlintKernelDescriptor({
    plugins: [
      { pluginId: 'markdown', plugin: markdown },
      { pluginId: 'typescript', plugin: typescript },
    ],
    filterRules: [],
    rules: [
      { ruleId: 'words', rule: module(wordCount), options: { max: MOST_WORDS } },
      {
        ruleId: 'rules.yml',
        rule: module(patterns),
        options: { rulePaths: [fileURLToPath(new URL('rules.yml', import.meta.url))] },
      },
    ],
  }),
});
const results = await linter.lintFiles(process.argv.length > 2 ? process.argv.slice(2) : FILES);
const formatter = await textlint.loadLinterFormatter({ formatterName: 'unix', color: process.stdout.isTTY });
const output = formatter.format(results);
if (output.trim() !== '') console.log(output);
process.exitCode = results.some(({ messages }) => messages.length > 0) ? 1 : 0;
console.log(`${results.length} files read.`);
