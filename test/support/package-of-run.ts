/**
 * The packed package of a run of the tests (`globalSetup`), and one project that has it installed. Both are made when the first
 * test file asks for them (`test/support/consumer.ts`), and removed after the last one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { SHORT_LIVED_COMPILERS } from './compile-cache.ts';
import { openDoor } from './door.ts';
import { installConsumer, unpack } from './install-consumer.ts';
import { packPackage } from './pack-package.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the package: answers `PackedPackage` as JSON. */
    readonly packageDoor: string;
  }
}

export interface PackedPackage {
  /** What the tarball holds. */
  readonly unpacked: string;
  /** A project with the tarball installed, and with every package of `IN_PROJECT`. */
  readonly project: string;
}

/** What code of the README and of the tests imports beside Credence. */
const IN_PROJECT = [
  'fastify',
  'ioredis',
  'mongodb',
  'pkijs',
  'viem',
  'express',
  'hono',
  'rxjs',
  'vitest',
  '@fastify/swagger',
  '@hono/node-server',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/platform-fastify',
  '@types/express',
  '@types/node',
];

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let work: string | undefined;
  const door = await openDoor(async (): Promise<PackedPackage> => {
    work = await mkdtemp(join(tmpdir(), 'credence-package-'));
    Object.assign(process.env, SHORT_LIVED_COMPILERS);
    const tarball = await packPackage(work);
    const project = join(work, 'project');
    const unpacked = join(work, 'unpacked');
    await unpack(tarball, unpacked);
    await installConsumer(project, unpacked, IN_PROJECT);
    return { unpacked, project };
  });
  provide('packageDoor', door.url);
  return async () => {
    await door.close();
    if (work !== undefined) await rm(work, { recursive: true, force: true });
  };
}
