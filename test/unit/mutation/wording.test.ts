import { expect, it } from 'vitest';
import { wordingAt } from '../../mutation/wording.ts';

type Node = Parameters<typeof wordingAt>[0]['node'];
type Path = Parameters<typeof wordingAt>[0];

/** The path to the first node, each of the others being the parent of the one before. */
function path(...nodes: readonly Node[]): Path {
  const [node, ...parents] = nodes;
  if (node === undefined) throw new Error('A path needs a node.');
  return { node, parentPath: parents.length === 0 ? null : path(...parents) };
}

const text: Node = { type: 'StringLiteral' };
const code: Node = { type: 'StringLiteral' };
const made = (name: string, ...given: Node[]): Node => ({
  type: 'NewExpression',
  callee: { type: 'Identifier', name },
  arguments: given,
});
const called = (object: string, property: string, ...given: Node[]): Node => ({
  type: 'CallExpression',
  callee: {
    type: 'MemberExpression',
    object: { type: 'Identifier', name: object },
    property: { type: 'Identifier', name: property },
  },
  arguments: given,
});

it.each<[string, Path, boolean]>([
  ['the message of an error', path(text, made('TypeError', text)), true],
  ['the message of a domain error', path(text, made('DomainError', code, text)), true],
  [
    'what an error says of itself',
    path(text, { type: 'CallExpression', callee: { type: 'Super' }, arguments: [text] }),
    true,
  ],
  ['the code of a domain error', path(code, made('DomainError', code, text)), false],
  ['the key of a map', path(text, made('Map', text)), false],
  ['the words of a log line', path(text, called('logger', 'warn', code, text)), true],
  ['the facts of a log line', path(code, called('logger', 'warn', code, text)), false],
  ['what another object is told', path(text, called('notary', 'warn', code, text)), false],
  ['what a logger is told besides', path(text, called('logger', 'child', code, text)), false],
  ['a text by itself', path(text), false],
  ['a number', path({ type: 'NumericLiteral' }, made('TypeError', { type: 'NumericLiteral' })), false],
])('%s', (_what, given, isWording) => {
  expect(wordingAt(given) !== undefined).toBe(isWording);
});

it('leaves out both texts of a message that a condition chooses, and not those in the condition', () => {
  const comparison: Node = { type: 'BinaryExpression', operator: '===' };
  const choice: Node = { type: 'ConditionalExpression', test: comparison };
  const sum: Node = { type: 'BinaryExpression', operator: '+' };
  expect(wordingAt(path(text, choice, made('Error', choice)))).toBeDefined();
  expect(wordingAt(path(text, sum, choice, made('Error', choice)))).toBeDefined();
  expect(wordingAt(path(text, comparison, choice, made('Error', choice)))).toBeUndefined();
});
