/**
 * The packed package of a run of the tests (`globalSetup`), and one project that has it installed. Both are made when the first
 * test file asks for them (`test/support/consumer.ts`), and removed after the last one.
 */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { build, ROOT } from '../../tools/build.ts';
import { openDoor } from './door.ts';
import { installConsumer } from './install-consumer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test file asks for the package: answers `PackedPackage` as JSON. */
    readonly packageDoor: string;
  }
}

export interface PackedPackage {
  /** The tarball. */
  readonly tarball: string;
  /** A project with the tarball installed, and with every package of `IN_PROJECT`. */
  readonly project: string;
}

/** What code of the README and of the tests imports beside Credence. */
const IN_PROJECT = [
  'fastify',
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
    const tarball = await pack(work);
    const project = join(work, 'project');
    await installConsumer(project, tarball, IN_PROJECT);
    return { tarball, project };
  });
  provide('packageDoor', door.url);
  return async () => {
    await door.close();
    if (work !== undefined) await rm(work, { recursive: true, force: true });
  };
}

/** Packs a build beside the project, so that a `dist/` somebody works with stays as it is. */
async function pack(work: string): Promise<string> {
  const staging = join(work, 'staging');
  await mkdir(staging);
  // `npm run check` has checked the types.
  const building = build(join(staging, 'dist'), ['--noCheck']);
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
  await copyFile(join(ROOT, 'package.json'), join(staging, 'package.json'));
  for (const name of files) {
    if (name !== 'dist') await cp(join(ROOT, name), join(staging, name), { recursive: true });
  }
  await building;
  const options = { cwd: staging };
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', work];
  const { stdout } = await promisify(execFile)('npm', args, options);
  const packed = JSON.parse(stdout) as Readonly<Record<string, { readonly filename: string }>>;
  const filename = Object.values(packed)[0]?.filename;
  if (filename === undefined) throw new Error(`npm pack told no file name: ${stdout}`);
  await rm(staging, { recursive: true });
  return join(work, filename);
}
