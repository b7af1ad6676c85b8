/**
 * The packed packages of a run of the tests (`globalSetup`), and one project that has them installed. Both are made or found when
 * the first test file asks for them (`test/support/consumer.ts`). What the tests put beside them is removed after the last one.
 */
import { basename } from 'node:path';
import type { TestProject } from 'vitest/node';
import { SHORT_LIVED_COMPILERS } from './compile-cache.ts';
import { openDoor } from './door.ts';
import { type KeptPackage, keptPackage, keptProject, removeFolders } from './kept-package.ts';
import { TEMPORARY_FOLDER } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the package: answers `PackedPackage` as JSON. */
    readonly packageDoor: string;
  }
}

export interface PackedPackage extends KeptPackage {
  /** Has every package of `IN_PROJECT`. */
  readonly project: string;
  /** How names of folders in projects begin that are removed after the run. */
  readonly prefix: string;
}

/** What code of the README and of the tests imports. */
const IN_PROJECT = [
  'credence',
  '@credence/blind-notary',
  '@credence/cli',
  '@credence/client',
  '@credence/verify',
  '@credence/simulator',
  '@credence/groth16',
  'better-sqlite3',
  'fastify',
  'ioredis',
  'mongodb',
  'pg',
  'pkijs',
  'viem',
  'express',
  'hono',
  'rxjs',
  'vitest',
  '@hono/node-server',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/platform-fastify',
  'reflect-metadata',
  '@types/express',
  '@types/node',
  '@types/pg',
];

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let made: PackedPackage | undefined;
  const door = await openDoor(async (): Promise<PackedPackage> => {
    Object.assign(process.env, SHORT_LIVED_COMPILERS);
    const kept = await keptPackage();
    const project = await keptProject(kept.unpacked, IN_PROJECT);
    made = { ...kept, project, prefix: `${basename(TEMPORARY_FOLDER)}-` };
    return made;
  });
  provide('packageDoor', door.url);
  return async () => {
    await door.close();
    if (made !== undefined) await removeFolders(made, made.prefix);
  };
}
