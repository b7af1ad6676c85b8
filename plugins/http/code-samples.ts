/** A call of each operation in TypeScript, for readers of the document. Readers make curl and Python themselves. */
/** As Scalar, Redoc and others show it. */
interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Media {
  readonly example?: unknown;
  readonly schema?: { readonly $ref?: string; readonly example?: unknown };
}

type Content = Readonly<Record<string, Media>>;

interface Operation {
  readonly security?: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; example?: unknown }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
  'x-codeSamples'?: readonly CodeSample[];
}

/** Adds `x-codeSamples` to every operation; its examples must be in the document already. */
export function addCodeSamples(document: {
  readonly paths?: object;
  readonly components?: { readonly schemas?: object };
}): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, { readonly example?: unknown }>>;
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const source = typescriptSample(method.toUpperCase(), path, operation, schemas);
      operation['x-codeSamples'] = [{ lang: 'TypeScript', label: 'TypeScript', source }];
    }
  }
}

/** The call with `fetch`. `CREDENCE_URL` and `CREDENCE_TOKEN` hold the URL of the instance and the caller's token. */
function typescriptSample(
  method: string,
  path: string,
  operation: Operation,
  schemas: Readonly<Record<string, { readonly example?: unknown }>>,
): string {
  const body = exampleOf(operation.requestBody?.content['application/json'], schemas);
  const headers = [
    ...(operation.security?.length === 0 ? [] : [`authorization: \`Bearer \${process.env.CREDENCE_TOKEN}\``]),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`]),
  ];
  const url = `\`\${process.env.CREDENCE_URL}${pathWithExamples(path, operation)}\``;
  return [
    ...(options.length === 0
      ? [`const response = await fetch(${url});`]
      : [`const response = await fetch(${url}, {`, ...options.map((option) => `  ${option},`), '});']),
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(await response.${answersJson(operation) ? 'json' : 'text'}());`,
  ].join('\n');
}

function pathWithExamples(path: string, { parameters = [] }: Operation): string {
  const exampleFor = (name: string) => encodeURIComponent(String(parameters.find((one) => one.name === name)?.example));
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map(({ name }) => `${name}=${exampleFor(name)}`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => exampleFor(name));
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function exampleOf(media: Media | undefined, schemas: Readonly<Record<string, { readonly example?: unknown }>>) {
  const { example, schema } = media ?? {};
  const named = schema?.$ref === undefined ? undefined : schemas[schema.$ref.replace('#/components/schemas/', '')];
  return example ?? schema?.example ?? named?.example;
}

function answersJson({ responses = {} }: Operation): boolean {
  return Object.entries(responses).some(
    ([status, { content }]) => status.startsWith('2') && content?.['application/json'] !== undefined,
  );
}
