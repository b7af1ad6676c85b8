/** One command for each operation of the API: `credence brands create --name Acme --slug acme`. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { warningsOf } from '../../plugins/client/warnings.ts';
import { type CallInput, call, type Target, type Values } from './call.ts';
import { readInput } from './files.ts';
import type { Field, Operation } from './operations.ts';
import { type Format, format, rowsOf } from './output.ts';
import { type Surroundings, wantsJson } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

const PAGE_SIZE = 100;

/** What is asked before operations that nothing brings back. */
const QUESTIONS: Readonly<Record<string, (path: Values) => string>> = {
  'creators erase': ({ userId }) => `Erase the personal data of creator ${userId} for good?`,
};

/** What instances ask of each other. */
const FOR_INSTANCES = 'notary';

/** Groups that one may also name by one of their things. */
const ALSO_SINGULAR = ['brands', 'campaigns', 'creators', 'attempts', 'webhooks', 'challenges', 'tokens'];

/** What one looks for in other command lines. */
const ALIASES: Readonly<Record<string, string>> = { 'webhooks test': 'trigger' };

/** Adds a command for each group, with one for each of its operations. */
export function addApiCommands(program: Command, around: Surroundings): void {
  const { operations } = around;
  for (const group of new Set(operations.map((operation) => operation.group))) {
    if (group === FOR_INSTANCES) continue;
    const name = kebab(group);
    const parent = program.command(name).description(`calls the API about ${name.replace('-', ' ')}`);
    if (ALSO_SINGULAR.includes(group)) parent.alias(group.slice(0, -1));
    for (const operation of operations) if (operation.group === group) parent.addCommand(commandOf(operation, around));
  }
}

function commandOf(operation: Operation, around: Surroundings): Command {
  const command = new Command(kebab(operation.name)).description(operation.summary);
  const question = QUESTIONS[`${operation.group} ${operation.name}`];
  const [first, ...rest] = kebab(operation.name).split('-');
  if (first === 'list' && rest.length > 0) command.alias(rest.join('-'));
  const alias = ALIASES[`${operation.group} ${operation.name}`];
  if (alias !== undefined) command.alias(alias);
  const inPath = operation.fields.filter(({ place }) => place === 'path');
  const named = operation.fields.filter(({ place }) => place !== 'path');
  for (const field of inPath) {
    const parse = (text: string) => PARSERS[field.kind](text, undefined);
    command.argument(`<${kebab(nameOf(field))}>`, field.description, parse);
  }
  for (const field of named) command.addOption(optionOf(field));
  if (named.some(({ place }) => place === 'body')) {
    command.option('--input <json>', 'the body as JSON, @FILE or - for standard input; options come on top of it');
  }
  if (question !== undefined) command.option('-y, --yes', 'do not ask');
  if (operation.isPaged) command.option('--all', 'read every page');
  if (operation.method === 'GET') command.option('--csv', 'print CSV');
  return command.action(async (...given: unknown[]) => {
    const own = given.at(-1) as Command;
    const options = own.opts<Record<string, unknown>>();
    const path = Object.fromEntries(inPath.map((field, at) => [nameOf(field), given[at]]));
    const placed = (wanted: Field['place']) => named.filter(({ place }) => place === wanted);
    const query = valuesOf(placed('query'), options);
    const headers = valuesOf(placed('header'), options);
    const body = await bodyOf(placed('body'), options);
    requireFields(named, { query, header: headers, body });
    if (question !== undefined && options.yes !== true) await confirm(question(path), around);
    const target = await around.target(own);
    const as: Format = wantsJson(own) ? 'json' : options.csv === true ? 'csv' : 'text';
    const input = { path, query, headers, body };
    const answer =
      options.all === true ? await everyPage(target, operation, input) : await call(target, operation, input);
    around.print(format(answer, as, around.columns));
    // Text shows them itself. What reads JSON or CSV may pass them over.
    if (as !== 'text') printWarnings(answer, around);
  });
}

/** @throws UsageError unless the answer is yes */
async function confirm(question: string, { ask }: Surroundings): Promise<void> {
  if (ask === undefined) throw new UsageError('This cannot be undone. Add --yes to do it without a question.');
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.');
}

/** Writes what an answer warns of beside the output. */
export function printWarnings(answer: unknown, { printError }: Pick<Surroundings, 'printError'>): void {
  for (const warning of warningsOf(answer)) printError(`warning: ${warning.replaceAll('\n', '\n  ')}`);
}

/** All rows of a paged list, in one answer. By cursors: page numbers move when rows are added meanwhile. */
async function everyPage(target: Target, operation: Operation, input: CallInput): Promise<unknown> {
  const rows: unknown[] = [];
  const others = {};
  for (let cursor = ''; ; ) {
    const query = { ...input.query, page: 1, limit: PAGE_SIZE, cursor };
    const { data, pagination, ...rest } = (await call(target, operation, { ...input, query })) as {
      readonly data?: unknown;
      readonly pagination?: { readonly nextCursor?: string | null };
    };
    rows.push(...(rowsOf(data) ?? []));
    cursor = pagination?.nextCursor ?? '';
    Object.assign(others, rest);
    if (cursor === '') return { ...others, data: rows };
  }
}

function optionOf(field: Field): Option {
  const name = field.path.map(kebab).join('.');
  const flags = field.kind === 'flag' ? `--${name} [yes|no]` : `--${name} <${VALUE_NAMES[field.kind]}>`;
  const option = new Option(flags, `${field.description}${field.isRequired ? ' (required)' : ''}`.trim());
  if (field.choices.length > 0 && field.kind === 'text') return option.choices([...field.choices]);
  return option.argParser((text: string, before: unknown) => PARSERS[field.kind](text, before));
}

const VALUE_NAMES = { text: 'text', number: 'number', flag: 'yes|no', texts: 'text', json: 'json' } as const;

const PARSERS: Readonly<Record<Field['kind'], (text: string, before: unknown) => unknown>> = {
  text: (text) => text,
  number: (text) => {
    if (text.trim() === '' || !Number.isFinite(Number(text))) throw new InvalidArgumentError('Give a number.');
    return Number(text);
  },
  flag: (text) => {
    if (!/^(yes|no|true|false)$/.test(text)) throw new InvalidArgumentError('Give yes or no.');
    return text === 'yes' || text === 'true';
  },
  texts: (text, before) => [...(Array.isArray(before) ? before : []), ...text.split(',').filter((part) => part !== '')],
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError('Give JSON.');
    }
  },
};

/** @throws UsageError that names the options which the operation needs and nobody gave */
function requireFields(fields: readonly Field[], given: Readonly<Record<string, Values>>): void {
  const isMissing = ({ place, path, isRequired }: Field) => {
    if (!isRequired) return false;
    const [outer = '', inner] = place === 'body' ? path : path.slice(-1);
    const value = given[place]?.[outer];
    // What else an object of the body is, the instance says.
    return inner === undefined ? value === undefined : (value as Values | undefined)?.[inner] === undefined;
  };
  const missing = fields.filter(isMissing).map(({ path }) => `--${path.map(kebab).join('.')}`);
  if (missing.length > 0) throw new UsageError(`Required, and not given: ${missing.join(', ')}. See --help.`);
}

function valuesOf(fields: readonly Field[], options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(fields.flatMap((field) => entryOf(field, options)));
}

/** The body: `--input` with the options laid over it. */
async function bodyOf(
  fields: readonly Field[],
  options: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const body = typeof options.input === 'string' ? parseData(await dataText(options.input)) : {};
  for (const field of fields) {
    for (const [, value] of entryOf(field, options)) {
      const [outer = '', inner] = field.path;
      if (inner === undefined) body[outer] = value;
      else body[outer] = { ...(body[outer] as Record<string, unknown> | undefined), [inner]: value };
    }
  }
  return body;
}

function entryOf(field: Field, options: Readonly<Record<string, unknown>>): [string, unknown][] {
  const value = options[optionOf(field).attributeName()];
  return value === undefined ? [] : [[nameOf(field), value]];
}

async function dataText(given: string): Promise<string> {
  if (given !== '-' && !given.startsWith('@')) return given;
  return (await readInput(given === '-' ? given : given.slice(1))).toString();
}

function parseData(text: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new UsageError('--input is not JSON. Give an object, @FILE or - for standard input.');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new UsageError('--input must be a JSON object.');
  return data as Record<string, unknown>;
}

function nameOf(field: Field): string {
  return field.path.at(-1) ?? '';
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
