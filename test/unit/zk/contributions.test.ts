import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artifactNames, bundledArtifacts, readArtifact, within } from '../../../adapters/groth16-prover/artifacts.ts';
import { CIRCUIT_SIZES } from '../../../adapters/groth16-prover/circuit-sizes.ts';
import { CeremonyError, checkWhole, readContributions } from '../../../adapters/groth16-prover/setup/contributions.ts';

const path = join(await mkdtemp(join(tmpdir(), 'contributions-')), 'key');

async function read(bytes: Uint8Array) {
  await writeFile(path, bytes);
  return readContributions(path);
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const section = (type: number, content: Buffer) =>
  Buffer.concat([uint32(type), uint32(content.length), uint32(0), content]);
const key = (...sections: Buffer[]) =>
  Buffer.concat([Buffer.from('zkey'), uint32(1), uint32(sections.length), ...sections]);
const contribution = (kind: number, parameters: readonly number[]) =>
  Buffer.concat([Buffer.alloc(320 + 64), uint32(kind), uint32(parameters.length), Buffer.from(parameters)]);
const list = (...contributions: Buffer[]) =>
  section(10, Buffer.concat([Buffer.alloc(64), uint32(contributions.length), ...contributions]));

const NAME = [1, 2, 0x41, 0x42];
const BEACON = [2, 10, 3, 2, 0xab, 0xcd];

describe('the contributions of a key', () => {
  it('are read with their kind, name and beacon', async () => {
    const bytes = key(section(1, Buffer.alloc(3)), list(contribution(0, NAME), contribution(1, BEACON)));
    expect(await read(bytes)).toEqual([
      { kind: 'contribution', name: 'AB', hash: expect.any(String) },
      { kind: 'beacon', name: '', beacon: 'abcd', hash: expect.any(String) },
    ]);
  });

  it.each(CIRCUIT_SIZES)(
    'of the development key for up to %i values are one beacon, so that it does not pass for the key of a ceremony',
    async (size) => {
      const { provingKey } = within(bundledArtifacts(), artifactNames(size));
      const contributions = await read(await readArtifact(provingKey));
      expect(contributions).toMatchObject([{ kind: 'beacon', name: 'credence development beacon' }]);
      expect(() => checkWhole(contributions)).toThrow('Nobody has contributed');
    },
  );

  const [party, beacon] = [contribution(0, NAME), contribution(1, BEACON)];
  const [NOBODY, NO_END] = ['Nobody has contributed to this key', 'does not end with one beacon'];
  it.each([
    ['none', [], NOBODY],
    ['only beacons', [beacon, beacon], NOBODY],
    ['no beacon', [party, party], NO_END],
    ['a party behind the beacon', [party, beacon, party], NO_END],
    ['two beacons', [party, beacon, party, beacon], NO_END],
  ])('are no whole ceremony if there are %s', async (_what, contributions, message) => {
    const found = await read(key(list(...contributions)));
    expect(() => checkWhole(found)).toThrow(message);
  });

  it.each([21, 63, 255])('are refused with a beacon that takes 2^%i hashes to check', async (rounds) => {
    const endless = list(contribution(0, NAME), contribution(1, [2, rounds, ...BEACON.slice(2)]));
    await expect(read(key(endless))).rejects.toThrow(`takes 2^${rounds} hashes, too many to check`);
  });

  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is something else', Buffer.from('no key at all')],
    ['has no list of them', key(section(1, Buffer.alloc(3)))],
    ['has two lists of them', key(list(), list())],
    ['has one of an unknown kind', key(list(contribution(2, NAME)))],
    ['has one with unknown parameters', key(list(contribution(0, [9, 9])))],
    ['has one whose name is cut short', key(list(contribution(0, [1, 200, 0x41])))],
    ['ends within a section', Buffer.concat([Buffer.from('zkey'), uint32(1), uint32(1), Buffer.alloc(12, 0xff)])],
    ['counts more than there are', key(section(10, Buffer.concat([Buffer.alloc(64), uint32(0xffffffff)])))],
  ])('are refused if the file %s', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toThrow(CeremonyError);
  });

  it('are refused from a file that is cut short anywhere', async () => {
    const bytes = key(list(contribution(0, NAME), contribution(1, BEACON)));
    for (let length = 0; length < bytes.length; length += 7) {
      await expect(read(bytes.subarray(0, length))).rejects.toThrow(CeremonyError);
    }
  });
});
