/** A plugin of Stryker's: leaves out what errors and log lines say in words, which no test has to hold fixed. */

/** What this reads of a node of Babel's. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly object?: Node;
  readonly property?: Node;
  readonly callee?: Node;
  readonly operator?: string;
  readonly test?: Node;
  readonly arguments?: readonly Node[];
}

interface NodePath {
  readonly node: Node;
  readonly parentPath: NodePath | null;
}

const LOG_LEVELS = new Set(['debug', 'info', 'warn', 'error']);

/** Why a text is not changed; undefined for everything else. Conditions in a message are changed: they choose what is said. */
export function wordingAt(path: NodePath): string | undefined {
  if (path.node.type !== 'StringLiteral' && path.node.type !== 'TemplateLiteral') return undefined;
  let { node, parentPath } = path;
  while (parentPath !== null && isPartOf(parentPath.node, node)) ({ node, parentPath } = parentPath);
  return parentPath !== null && messageOf(parentPath.node) === node ? 'the wording of an error or log line' : undefined;
}

function isPartOf(whole: Node, part: Node): boolean {
  const { type, operator, test } = whole;
  return operator === '+' || operator === '??' || (type === 'ConditionalExpression' && test !== part);
}

/** The message of an error that is made, or of a log line that is written. */
function messageOf({ type, callee, arguments: given = [] }: Node): Node | undefined {
  if (callee?.type === 'Super') return given[0];
  if (type === 'NewExpression' && callee?.name?.endsWith('Error')) return given[callee.name === 'DomainError' ? 1 : 0];
  const isLog = callee?.object?.name === 'logger' && LOG_LEVELS.has(callee.property?.name ?? '');
  return type === 'CallExpression' && isLog ? given[1] : undefined;
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'wording', value: { shouldIgnore: wordingAt } }];
