/** Loaded before a program (`--import`): notes the package of every module that the program loads. */
import { registerHooks } from 'node:module';

declare global {
  var loadedPackages: Set<string>;
}

globalThis.loadedPackages = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    if (name !== undefined) globalThis.loadedPackages.add(name);
    return next(url, context);
  },
});
