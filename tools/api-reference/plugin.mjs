/** Names modules as they are imported, and demands documentation of every export and option. */
import { readFileSync } from 'node:fs';
import { Application, Converter, ReflectionKind } from 'typedoc';

const { name, exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** `plugins/fastify` is `credence/fastify`, as the package's `exports` say. */
function importName(source) {
  for (const [path, entry] of Object.entries(exports)) {
    const file = entry?.['credence-source'];
    if (file === undefined) continue;
    const [before, after] = file
      .slice(2)
      .replace(/\/index\.ts$/, '')
      .split('*');
    if (after === undefined ? source !== before : !source.startsWith(before)) continue;
    return `${name}${path.slice(1).replace('*', source.slice(before.length))}`;
  }
  throw new Error(`${source} is no entry point of the package.`);
}

const { Accessor, Class, Enum, Interface, Method, Module, Property, TypeAlias, Variable } = ReflectionKind;
const DECLARATION = Class | Enum | ReflectionKind.Function | Interface | TypeAlias | Variable;

/** Exports, methods of exports, and properties that configure something. Types that were only inferred are left out. */
function needsDocumentation(reflection) {
  const { parent } = reflection;
  if (reflection.flags.isExternal || !parent) return false;
  if (parent.kindOf(Module)) return reflection.kindOf(DECLARATION);
  if (!parent.kindOf(Class | Interface)) return false;
  return reflection.kindOf(Method | Accessor) || /(?:Config|Options|Settings)$/.test(parent.name);
}

function isDocumented(reflection) {
  const { signatures = [], getSignature, setSignature } = reflection;
  return [reflection, getSignature, setSignature, ...signatures].some((each) => each?.hasComment());
}

/** @param {Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = importName(module.name);
  });
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const reflection of project.getReflectionsByKind(DECLARATION | Method | Accessor | Property)) {
      if (!needsDocumentation(reflection) || isDocumented(reflection)) continue;
      app.logger.validationWarning(`${reflection.getFriendlyFullName()} has no documentation: add a comment.`);
    }
  });
}
