/** A textlint plugin for TypeScript: comments and the sentences of string literals become paragraphs. */
import { parse } from '@babel/parser';

/** A string with fewer words is a name, a code or a fragment of one. */
const LEAST_WORDS = 4;
const WORD = /[\p{L}\d'’-]+/gu;
/** Stands for what a template inserts, so that a pattern never matches across it. */
const INSERTED = '…';

export default {
  Processor: class {
    availableExtensions() {
      return ['.ts', '.tsx'];
    }

    processor() {
      return {
        preProcess: (text, filePath) => documentOf(text, filePath?.endsWith('.tsx') === true),
        postProcess: (messages, filePath) => ({ messages, filePath: filePath ?? '<text>' }),
      };
    }
  },
};

function documentOf(text, hasMarkup) {
  const at = locator(text);
  const node = (type, start, end, rest) => ({
    type,
    raw: text.slice(start, end),
    range: [start, end],
    loc: { start: at(start), end: at(end) },
    ...rest,
  });
  const paragraph = (pieces) => {
    const children = pieces.map(({ start, end, value }) => node('Str', start, end, { value }));
    return node('Paragraph', pieces[0].start, pieces.at(-1).end, { children });
  };
  const { comments, tokens } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript', 'decorators-legacy', 'importAttributes', ...(hasMarkup ? ['jsx'] : [])],
    tokens: true,
  });
  const children = [...commentsOf(comments, text), ...stringsOf(tokens, text)]
    .filter((pieces) => pieces.length > 0)
    .map(paragraph)
    .sort((a, b) => a.range[0] - b.range[0]);
  return node('Document', 0, text.length, { children });
}

/** The paragraphs of each comment; examples and code in them are left out. */
function* commentsOf(comments, text) {
  for (const block of joined(comments, text)) {
    let pieces = [];
    let example = false;
    let code = false;
    let thrown = false;
    for (const { start, end } of linesOf(text, block.start, block.end)) {
      const [, mark, words] = /^(\s*(?:\/\*\*?|\/\/|\*\/|\*)?)(.*?)(?:\*\/)?\s*$/s.exec(text.slice(start, end));
      if (/^\s*([@-]|$)/.test(words)) {
        yield pieces;
        pieces = [];
      }
      if (words.trim().startsWith('@')) {
        example = words.includes('@example');
        thrown = words.includes('@throws');
      }
      if (words.trim().startsWith('```')) code = !code;
      if (example || code || words.trim() === '' || /^\s{4,}/.test(words) || words.includes('```')) continue;
      const from = start + mark.length;
      const prose = words.replace(/^\s*@\w+(\s+[A-Z]\w+)?/, (tag) => ' '.repeat(tag.length));
      // Code is one word to the reader. A line ends with a space, as a sentence goes on in the next one.
      const value = `${prose.replace(/`[^`]*`|\{@link [^}]*\}/g, (code) => code.replace(/[\s.?!;]/g, '_'))} `;
      // What is thrown is a list; each entry is read on its own.
      pieces.push({ start: from, end: from + words.length, value: thrown ? value.replaceAll(';', '.') : value });
    }
    yield pieces;
  }
}

/** Comments of one line that follow each other are one comment. */
function joined(comments, text) {
  const blocks = [];
  for (const { start, end } of comments) {
    const last = blocks.at(-1);
    if (last !== undefined && text.startsWith('//', start) && /^\n[ \t]*$/.test(text.slice(last.end, start)))
      last.end = end;
    else blocks.push({ start, end });
  }
  return blocks;
}

function* linesOf(text, start, end) {
  for (let from = start; from < end; ) {
    const newline = text.indexOf('\n', from);
    const to = newline === -1 || newline > end ? end : newline;
    yield { start: from, end: to };
    from = to + 1;
  }
}

/** Sentences of string literals; what a template inserts becomes one word. */
function* stringsOf(tokens, text) {
  for (const { start, end, type, value } of tokens) {
    const label = type.label ?? type;
    const literal = label === 'string' || label === 'template' || label === 'jsxText';
    const sentence = typeof value === 'string' ? value : text.slice(start, end);
    if (!literal || (sentence.match(WORD) ?? []).length < LEAST_WORDS || !isProse(sentence)) continue;
    yield [{ start, end, value: text.slice(start, end).replaceAll('`', INSERTED) }];
  }
}

/** Not SQL, markup, code, a list of words or a recorded answer. */
function isProse(sentence) {
  if (sentence.length > 200 && !/[.,:;]/.test(sentence)) return false;
  return !/\b(SELECT|INSERT INTO|CREATE (TABLE|INDEX)|UPDATE \w+ SET|DELETE FROM|WHERE|ORDER BY)\b|<\/?[a-z][^>]*>|[{};]\s*$|=>|^\s*[{["]/.test(
    sentence,
  );
}

function locator(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low] };
  };
}
