/** The Markdown plugin of textlint, but each cell of a table is a paragraph too: rules for sentences read only those. */
import markdown from '@textlint/textlint-plugin-markdown';

const { Processor } = markdown.default ?? markdown;

export default {
  Processor: class extends Processor {
    processor(extension) {
      const { preProcess, postProcess } = super.processor(extension);
      return {
        preProcess: (text, filePath) => withReadCells(preProcess(text, filePath)),
        postProcess,
      };
    }
  },
};

function withReadCells(node) {
  for (const child of node.children ?? []) withReadCells(child);
  if (node.type === 'TableCell' && node.children.length > 0) node.children = [paragraphOf(node.children)];
  return node;
}

function paragraphOf(children) {
  const [first, last] = [children[0], children.at(-1)];
  return {
    type: 'Paragraph',
    raw: children.map(({ raw }) => raw).join(''),
    range: [first.range[0], last.range[1]],
    loc: { start: first.loc.start, end: last.loc.end },
    children,
  };
}
