/** Loaded before a program (`--import`): notes every module that the program loads, by the package it belongs to. */
import { registerHooks } from 'node:module';

declare global {
  /** How many modules of each package were loaded; those outside `node_modules` count as ''. */
  var loadedPackages: Map<string, number>;
}

globalThis.loadedPackages = new Map();

registerHooks({
  load(url, context, next) {
    const name = url.startsWith('file:') ? packageOf(url) : null;
    if (name !== null) globalThis.loadedPackages.set(name, (globalThis.loadedPackages.get(name) ?? 0) + 1);
    return next(url, context);
  },
});

function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? '';
}
