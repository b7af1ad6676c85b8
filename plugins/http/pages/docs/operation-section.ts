/** One operation or webhook of the documentation page. */
import { Html, html, joined } from '../html.ts';
import {
  type DocsDocument,
  type DocsMedia,
  type DocsOperation,
  type DocsParameter,
  type DocsResponse,
  resolveSchema,
} from './document.ts';
import { inline, prose } from './prose.ts';
import { parameterNotes, schemaTable, typeOf } from './schema-table.ts';

export interface Entry {
  readonly id: string;
  /** `GET`; for webhooks `EVENT`. */
  readonly method: string;
  /** The path, or the name of the event. */
  readonly path: string;
  readonly operation: DocsOperation;
}

export function operationSection(document: DocsDocument, entry: Entry): Html {
  const { id, method, path, operation } = entry;
  const body = operation.requestBody;
  return html`<article id="${id}">
<h3><a href="#${id}">${operation.summary ?? id}</a></h3>
<p class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${prose(operation.description ?? '')}
${parameterTable(document, operation.parameters ?? [])}
${body ? bodySection(document, body.content, method === 'EVENT' ? 'Body' : `Request body${body.required ? '' : ' (optional)'}`) : ''}
${joined(
  Object.entries(operation.responses)
    .filter(([status]) => isSuccess(status))
    .map(([status, response]) => successSection(document, status, response)),
)}
${failureTable(document, operation)}
</article>`;
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

/** Lets a long path wrap after each slash. */
function breakable(path: string): Html {
  return joined(
    path.split(/(?<=\/)/).map((part) => html`${part}`),
    '<wbr>',
  );
}

function parameterTable(document: DocsDocument, parameters: readonly DocsParameter[]): Html {
  if (parameters.length === 0) return new Html('');
  return html`<table class="parameters">
<caption>Parameters</caption>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>
${joined(
  parameters.map(
    ({ name, in: place, required, schema = {}, description }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? '' : html` <small>optional</small>`}</th><td>${place}</td><td>${typeOf(document, schema)}</td><td>${parameterNotes(schema, description)}</td></tr>`,
  ),
)}
</tbody>
</table>`;
}

function bodySection(document: DocsDocument, content: Readonly<Record<string, DocsMedia>>, title: string): Html {
  const [[mediaType, media] = []] = Object.entries(content);
  if (mediaType === undefined || media === undefined) return new Html('');
  const types = Object.keys(content).join(', ');
  return html`<h4>${title} <small>${types}</small></h4>
${media.schema ? schemaTable(document, media.schema, 'Fields') : ''}
${exampleBlock(media.example ?? exampleOf(document, media))}`;
}

function successSection(document: DocsDocument, status: string, response: DocsResponse): Html {
  const [[mediaType, media] = []] = Object.entries(response.content ?? {});
  return html`<h4><span class="status">${status}</span> ${inline(response.description)} <small>${mediaType ?? ''}</small></h4>
${media?.schema ? schemaTable(document, media.schema, `Fields of the ${status} response`) : ''}
${media ? exampleBlock(media.example ?? exampleOf(document, media)) : ''}`;
}

function exampleOf(document: DocsDocument, { schema }: DocsMedia): unknown {
  return schema === undefined ? undefined : resolveSchema(document, schema).example;
}

function exampleBlock(example: unknown): Html {
  if (example === undefined) return new Html('');
  return html`<pre tabindex="0" aria-label="Example"><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}

function failureTable(document: DocsDocument, operation: DocsOperation): Html {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => !isSuccess(status))
    .flatMap(([status, response]) => failureRows(document, status, response));
  if (rows.length === 0) return new Html('');
  return html`<table class="failures">
<caption>Other answers</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${joined(rows)}
</tbody>
</table>`;
}

function failureRows(document: DocsDocument, status: string, response: DocsResponse): Html[] {
  const row = (code: Html | string, meaning: Html) =>
    html`<tr><td>${status}</td><td>${code}</td><td>${meaning}</td></tr>`;
  const codes = Object.entries(response.content?.['application/json']?.examples ?? {});
  const isPage = response.content?.['text/html'] !== undefined;
  if (codes.length === 0) return [row(isPage ? '(page)' : '', inline(response.description))];
  const own = isPage ? [row('(page)', inline(response.description.split('\n', 1)[0] ?? ''))] : [];
  return [
    ...own,
    ...codes.map(([code, { $ref }]) => {
      const name = $ref?.replace('#/components/examples/', '') ?? '';
      return row(html`<code>${code}</code>`, inline(document.components?.examples?.[name]?.summary ?? ''));
    }),
  ];
}
