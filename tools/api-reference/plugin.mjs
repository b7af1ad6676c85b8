/** Names modules as they are imported, and demands documentation of every export and option. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Application, Converter, ReflectionKind } from 'typedoc';

const ROOT = new URL('../../', import.meta.url);
const { Accessor, Class, Enum, Interface, Method, Module, Property, TypeAlias, Variable } = ReflectionKind;
const DECLARATION = Class | Enum | ReflectionKind.Function | Interface | TypeAlias | Variable;

/** `plugins/fastify` is `credence/fastify`, as the `exports` of the packages say. */
const importNames = globSync(['package.json', '{adapters,plugins,hosts}/*/package.json'], { cwd: ROOT }).flatMap(
  (path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));
    return Object.entries(exports).flatMap(([subpath, entry]) => {
      const source = entry?.['credence-source'];
      if (source === undefined) return [];
      const [before, after] = join(dirname(path), source)
        .replace(/\/index\.ts$/, '')
        .split('*');
      const imported = name + subpath.slice(1);
      return [
        (folder) =>
          after === undefined
            ? folder === before && imported
            : folder.startsWith(before) && imported.replace('*', folder.slice(before.length)),
      ];
    });
  },
);

/** Exports, methods of exports, and properties that configure something. Types that were only inferred are left out. */
function needsDocumentation({ flags, parent }, kindOf) {
  if (flags.isExternal || !parent) return false;
  if (parent.kindOf(Module)) return kindOf(DECLARATION);
  return (
    parent.kindOf(Class | Interface) && (kindOf(Method | Accessor) || /(?:Config|Options|Settings)$/.test(parent.name))
  );
}

/** @param {Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = importNames.map((nameOf) => nameOf(module.name)).find(Boolean) ?? module.name;
    }
  });
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const each of project.getReflectionsByKind(DECLARATION | Method | Accessor | Property)) {
      const parts = [each, each.getSignature, each.setSignature, ...(each.signatures ?? [])];
      if (!needsDocumentation(each, (kind) => each.kindOf(kind)) || parts.some((part) => part?.hasComment())) continue;
      app.logger.validationWarning(`${each.getFriendlyFullName()} has no documentation: add a comment.`);
    }
  });
}
