/** Values of environment variables, as text and checked. */
import { z } from 'zod';
import { readRegularFile } from '../../adapters/file-system/index.ts';

/** Thrown when a variable is unusable; the message names every such variable, never its value. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Separated by commas; spaces around an entry and empty entries do not matter. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const integer = z
  .string()
  .regex(/^[0-9]+$/, 'must be a whole number')
  .transform(Number);

export const decimal = z
  .string()
  .regex(/^(?:[0-9]+|[0-9]*\.[0-9]+)$/, 'must be a number')
  .transform(Number);

export const switchValue = z.enum(['on', 'off']).transform((value) => value === 'on');

export const cidr = z.union([z.cidrv4(), z.cidrv6()], 'must be CIDRs such as 10.0.0.0/8');

/** What a server may listen on: a name or an address, IPv6 without brackets. */
export const listenHost = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s[\]/]*$/, 'must be a name or an address without scheme, brackets and path, such as 0.0.0.0 or ::');

/** @throws EnvironmentError naming the variable and the file */
export function readTextFile(variable: string, path: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const reason = syscall === undefined ? message : `${path} cannot be read (${code})`;
    throw new EnvironmentError(`${variable}: ${reason}.`);
  }
}
