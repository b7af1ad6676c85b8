/** ioredis, loaded with the first part that talks to Redis. */
import { loadPackage } from '../package-loader/index.ts';

export const { Redis } = loadPackage('ioredis', 'Redis');
export type Redis = InstanceType<typeof Redis>;
