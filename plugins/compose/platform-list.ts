/** The list of platforms of a configuration: what may be in it, and what may stand together. */
import { z } from 'zod';
import { plainIssue } from '../../core/plain-issue.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { registryProblems } from '../../core/platforms/registry.ts';
import { type BuiltInPlatformsConfig, builtInPlatforms } from './built-in-platforms.ts';

const callable = z.custom<(...args: never) => unknown>((value) => typeof value === 'function', 'expected a function');
const filled = z.string().min(1);

/** A descriptor from outside may be plain JavaScript: what is missing is named when the instance is made, not by its first use. */
const adapterShape = z.looseObject({
  descriptor: z.looseObject({
    name: filled,
    label: filled,
    hosts: z.array(filled).min(1),
    contentTypes: z.array(filled).min(1),
    parseUrl: callable,
    canonicalUrl: callable,
    shownUrl: callable.optional(),
    postUrlForms: z.array(z.looseObject({ shown: filled, path: z.instanceof(RegExp).optional() })).min(1),
    isHandle: callable,
    actions: z.array(z.enum(['comment', 'like'])).min(1),
    sweepsReplies: z.boolean(),
  }),
  create: callable,
  maxConcurrentLookups: z.int().min(1).optional(),
});

/** A platform as a value, passed on as it is. */
export const platformAdapter = z
  .custom<PlatformAdapter>()
  .superRefine((value, context) => {
    for (const issue of adapterShape.safeParse(value).error?.issues ?? []) {
      const message = `not a platform as a value: ${plainIssue(issue)}`;
      context.addIssue({ code: 'custom', path: [...issue.path], message });
    }
  })
  .meta({ type: 'PlatformAdapter' });

/**
 * The platforms of a checked configuration, in the order of registration. A host that lists platforms gets only these; any other
 * host gets the built-in ones and its extra ones. `problems` says why they cannot be registered together, one sentence each.
 */
export function registeredPlatforms(
  config: BuiltInPlatformsConfig & { readonly extra: readonly PlatformAdapter[] },
  isList: boolean,
): { readonly adapters: readonly PlatformAdapter[]; readonly problems: readonly string[] } {
  const adapters = isList ? config.extra : [...builtInPlatforms(config), ...config.extra];
  return { adapters, problems: registryProblems(adapters.map(({ descriptor }) => descriptor)) };
}
