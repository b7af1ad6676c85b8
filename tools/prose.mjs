/**
 * `npm run check:prose [-- FILE...]`: finds long sentences, and words that we write otherwise, in documents, comments, messages and
 * test titles.
 */
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

const MOST_WORDS = 25;
/** A string with fewer words is a name or a code. */
const LEAST_WORDS = 4;
const FILES = ['*.md', 'docs/**/*.md', '{core,adapters,plugins,hosts,contracts,packages,tools,test}/**/*.{ts,tsx,md}'];
const INSTEAD = {
  fix: /\bmend(s|ed|ing)?\b/i,
  must: /\bshall\b/i,
  forever: /\bfor ever\b/i,
  'anyone who': /\bwhoever\b/i,
  'a plain noun': /\bthat of\b/i,
  again: /\banew\b/i,
  postpone: /\bput(s|ting)? off\b/i,
  'dead-letter': /\bbur(y|ies|ied)\b/i,
  maintenance: /\bupkeep\b/i,
  on: /\bupon\b/i,
  so: /\b(hence|thus|thereby)\b/i,
  prevents: /\bstand(s|ing)? in the way\b/i,
  is: /\bstands? (there|here|in)\b/i,
  continue: /\bgo(es|ing)? on\b/i,
  'has no effect': /\bno matter of\b/i,
};
const NO_PROSE =
  /\b(SELECT|INSERT INTO|CREATE (TABLE|INDEX)|UPDATE \w+ SET|DELETE FROM|WHERE|ORDER BY)\b|<\/?[a-z][^>]*>|[{};]\s*$|=>|^\s*[{["]/;

const wordsOf = (text) => text.match(/\S*[\p{L}\d]\S*/gu) ?? [];

/** Paragraphs of Markdown: without code, and each row, cell and list item alone. */
function* paragraphsOfMarkdown(text) {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ''));
  yield* paragraphs(
    prose.split('\n').map((line) => line.replaceAll(/^\s*([-*]|\d+\.) |^#+ |^> /g, '\n').replaceAll(/ ?\| ?/g, '\n')),
  );
}

/** Paragraphs of a comment's lines; examples and code in them are left out. */
function* paragraphsOfComments(text) {
  const comments = text.matchAll(/^[ \t]*(?:\/\*\*?[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm);
  for (const { 0: comment, index } of comments) {
    const before = text.slice(0, index).split('\n').length - 1;
    const bare = comment.replaceAll(/@example[\s\S]*?(?=\n[ \t]*\* @|\*\/)|```[\s\S]*?```/g, (code) =>
      code.replaceAll(/[^\n]/g, ''),
    );
    const lines = bare
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)/, '').replace(/\*\/\s*$/, ''));
    const starts = lines.map((line) =>
      /^\s*([@-]|\d+\.)/.test(line) ? `\n${line}` : /^\s{4,}/.test(line) ? '' : line,
    );
    yield* paragraphs(starts, before);
  }
}

/** Joins lines to paragraphs; an empty line, or a line break that was put in, ends one. */
function* paragraphs(lines, before = 0) {
  let [text, from] = ['', 0];
  for (const [at, line] of [...lines, ''].entries()) {
    for (const [part, piece] of line.split('\n').entries()) {
      if (part > 0 || piece.trim() === '') {
        if (text !== '') yield { text, line: before + from + 1 };
        text = '';
      }
      if (text === '') from = at;
      text += `${piece} `.trimStart();
    }
  }
}

/** Sentences of string literals. */
function* strings(text, lang) {
  const found = [];
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.type === 'Literal' && typeof node.value === 'string') found.push([node.start, node.value]);
    if (node.type === 'TemplateLiteral')
      found.push([node.start, node.quasis.map(({ value }) => value.cooked).join('…')]);
    if (node.type === 'JSXText') found.push([node.start, node.value]);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang }));
  for (const [start, value] of found) {
    if (wordsOf(value).length < LEAST_WORDS || NO_PROSE.test(value)) continue;
    yield { text: value, line: text.slice(0, start).split('\n').length, isProse: /^[^\n]*[.?!]$/.test(value) };
  }
}

function* findings({ text, isProse = true }) {
  // Code, a link's target and a name with a dot are one word.
  const plain = text
    .replaceAll(/`[^`]*`|\{@link [^}]*\}/g, (code) => code.replaceAll(/[\s.?!;]/g, '_'))
    .replaceAll(/\]\([^)]*\)/g, ']');
  for (const [word, pattern] of Object.entries(INSTEAD)) {
    const [said] = pattern.exec(plain) ?? [];
    if (said !== undefined) yield `"${said}": write ${word}`;
  }
  if (!isProse) return;
  for (const sentence of plain.split(/[.?!:;](?=[\s"')*]|$)/)) {
    const { length } = wordsOf(sentence.replaceAll(/`[^`]*`/g, ''));
    if (length > MOST_WORDS) yield `${length} words: "${sentence.trim().slice(0, 60)}…"`;
  }
}

const files =
  process.argv.length > 2
    ? process.argv.slice(2)
    : globSync(FILES).filter((file) => !/\b(node_modules|dist)\b/.test(file));
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const pieces = file.endsWith('.md')
    ? [...paragraphsOfMarkdown(text)]
    : [...paragraphsOfComments(text), ...strings(text, file.endsWith('x') ? 'tsx' : 'ts')];
  for (const piece of pieces)
    for (const found of findings(piece)) {
      console.log(`${file}:${piece.line}: ${found}`);
      process.exitCode = 1;
    }
}
console.log(`${files.length} files read.`);
